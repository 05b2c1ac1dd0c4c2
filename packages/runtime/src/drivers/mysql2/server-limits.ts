import type { ServerLimit } from '../table-store.js';

/** What holds a table's rows while they are in work. */
export type MysqlForm = 'lease' | 'row-lock' | 'advisory';

/** The settings of a session by name, as the server writes them. */
export type Settings = ReadonlyMap<string, string>;

interface Limiting {
  readonly setting: string;
  /** Milliseconds of the setting's unit. */
  readonly unit: number;
  readonly forms: readonly MysqlForm[];
  readonly consequence: string;
}

const idle =
  'A handler that works longer loses its session, and its row returns. Set it higher for the sessions of this pool, or use the lease form.';
const slow =
  'A claim or settlement that takes longer is cancelled and tried again later. Set it higher for the sessions of this pool if claims fail.';

/** The settings that end sessions or statements. Those of one server are unknown to the other. */
const limiting: readonly Limiting[] = [
  { setting: 'wait_timeout', unit: 1_000, forms: ['row-lock', 'advisory'], consequence: idle },
  { setting: 'idle_transaction_timeout', unit: 1_000, forms: ['row-lock'], consequence: idle },
  // A claim has locked its row, but written nothing.
  {
    setting: 'idle_readonly_transaction_timeout',
    unit: 1_000,
    forms: ['row-lock'],
    consequence: idle,
  },
  {
    setting: 'max_statement_time',
    unit: 1_000,
    forms: ['row-lock', 'advisory'],
    consequence: slow,
  },
  { setting: 'max_execution_time', unit: 1, forms: ['row-lock', 'advisory'], consequence: slow },
];

/** A handler may well run for as long as this; what is set to more is not worth a word. */
const longHandler = 3_600_000;

/** The settings to be read for `serverLimits`. */
export const limitingSettings: readonly string[] = limiting.map(({ setting }) => setting);

/** The settings that a long handler of this form would run into. Zero is no limit. */
export function serverLimits(settings: Settings, form: MysqlForm): readonly ServerLimit[] {
  return limiting.flatMap(({ setting, unit, forms, consequence }) => {
    const milliseconds = Number(settings.get(setting) ?? 0) * unit;
    return forms.includes(form) && milliseconds > 0 && milliseconds < longHandler
      ? [{ setting, milliseconds, consequence }]
      : [];
  });
}
