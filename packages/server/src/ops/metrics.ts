// What a monitoring system may ask for, in the text format of Prometheus (version 0.0.4).
export interface Figures {
  readonly loginLog: {
    readonly lagMilliseconds: number;
    readonly spoolBytes: number;
    readonly unrecorded: { readonly success: number; readonly failure: number };
    readonly deadLetters: number;
  };
  /** Lines of the process log that nobody read in time. */
  readonly droppedLines: number;
}

interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  /** By labels, as they are written; a metric without labels has one sample, under ''. */
  readonly samples: Readonly<Record<string, number>>;
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function writeMetrics(figures: Figures): string {
  return metricsOf(figures).map(writeMetric).join('');
}

function metricsOf({ loginLog, droppedLines }: Figures): Metric[] {
  return [
    {
      name: 'portcullis_login_log_lag_seconds',
      type: 'gauge',
      help: 'Age of the oldest login record that is not in the database yet.',
      samples: { '': loginLog.lagMilliseconds / 1000 },
    },
    {
      name: 'portcullis_login_log_spool_bytes',
      type: 'gauge',
      help: 'Size of the login log spool of this instance.',
      samples: { '': loginLog.spoolBytes },
    },
    {
      name: 'portcullis_login_log_unrecorded_total',
      type: 'counter',
      help: 'Login attempts that could be stored nowhere. Such a success was refused.',
      samples: {
        '{outcome="success"}': loginLog.unrecorded.success,
        '{outcome="failure"}': loginLog.unrecorded.failure,
      },
    },
    {
      name: 'portcullis_login_log_dead_letters_total',
      type: 'counter',
      help: 'Login records that the database refused and that were set aside.',
      samples: { '': loginLog.deadLetters },
    },
    {
      name: 'portcullis_process_log_dropped_lines_total',
      type: 'counter',
      help: 'Lines of the process log that were dropped because nobody read them.',
      samples: { '': droppedLines },
    },
  ];
}

function writeMetric({ name, type, help, samples }: Metric): string {
  const lines = Object.entries(samples).map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
