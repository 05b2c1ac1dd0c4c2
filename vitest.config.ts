import { defineConfig } from 'vitest/config';

/**
 * All tests: those of each package beside its sources, and the suites across packages in `test/`.
 * They run against built packages (`npm run build` first; `npm test` does). One file at a time: some tests count what
 * a whole server does (its lock waits, its transactions), and another file's rows would count too.
 */
export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/setup/servers.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that cannot fail is worse than none.
    expect: { requireAssertions: true },
  },
});
