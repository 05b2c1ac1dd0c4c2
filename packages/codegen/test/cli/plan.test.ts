import { expect, test } from 'vitest';
import { planOutput } from '../../src/cli/plan.js';
import { marker } from '../../src/emit/header.js';

const ours = `${marker}from x\n`;

test('a plan creates, updates, keeps and removes, and sees what is not ours', () => {
  const steps = planOutput(
    [
      { path: 'new.ts', text: ours },
      { path: 'same.ts', text: ours },
      { path: 'changed.ts', text: `${ours}b` },
      { path: 'theirs.ts', text: ours },
      { path: 'folder.ts', text: ours },
    ],
    [
      { path: 'same.ts', text: ours },
      { path: 'changed.ts', text: `${ours}a` },
      { path: 'theirs.ts', text: 'export {};\n' },
      { path: 'folder.ts' },
      { path: 'orphan.ts', text: ours },
      { path: 'notes.md' },
      { path: 'helper.ts', text: '// not generated\n' },
    ],
  );
  expect(steps.map(({ kind, path }) => [path, kind])).toEqual([
    ['changed.ts', 'update'],
    ['folder.ts', 'foreign'],
    ['new.ts', 'create'],
    ['orphan.ts', 'remove'],
    ['same.ts', 'keep'],
    ['theirs.ts', 'foreign'],
  ]);
});

test('a file that only some disks tell from ours is in the way', () => {
  const wanted = [{ path: 'jobs.ts', text: ours }];
  expect(planOutput(wanted, [{ path: 'Jobs.ts', text: 'export {};\n' }])).toEqual([
    { kind: 'foreign', path: 'Jobs.ts' },
  ]);
  expect(planOutput(wanted, [{ path: 'Jobs.ts', text: ours }]).map(({ kind }) => kind)).toEqual([
    'remove',
    'create',
  ]);
});
