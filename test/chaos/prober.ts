// Steady traffic with a register of truth: what is good, what is being taken away, and what was taken away before a
// request was sent. An answer that contradicts the register is a failure, whatever fault the scenario makes meanwhile.
import type { Random } from '../fuzz/random.ts';
import { isJudged, judgesTimes } from '../rig/judges-times.ts';
import {
  createSubjects,
  pickSubject,
  type Subject,
  type SubjectCounts,
  tokenSubject,
} from './faults/subjects.ts';
import { askAgain, patienceMilliseconds } from './send-again.ts';
import { type Cluster, type Instance, type Outcome, outcomeOf } from './start-cluster.ts';

export interface Probe {
  /** By `performance.now()`. */
  readonly sentAt: number;
  readonly milliseconds: number;
  /** `failed`: the connection broke. */
  readonly outcome: Outcome | 'failed';
}

export interface Ending {
  /** False where the answer was 503 or none at all: nothing is concluded from it. */
  readonly ended: boolean;
  readonly milliseconds: number;
  readonly subject: Subject;
}

export interface Prober {
  /** Answers that contradict the register, and unexpected answers. */
  readonly failures: readonly string[];
  /** The calls that were acknowledged, and those that nothing is known of. */
  readonly counts: { readonly ended: number; readonly unknown: number };
  /** Sends steady traffic to the instance from now on. */
  watch(instance: Instance): void;
  /** Sends it nothing more, for it stops. Resolves when the last request is answered. */
  unwatch(instance: Instance): Promise<void>;
  /** Every answer of the instance to a request that was sent from that moment on. */
  probesOf(instance: Instance, sentFrom?: number): Probe[];
  /** One request, held against the register. */
  ask(instance: Instance, subject?: Subject): Promise<Probe>;
  /** Something that works, everywhere. */
  pickGood(): Subject;
  /** Ends a random good subject, or this one, by way of this instance. */
  endOne(writer: Instance, subject?: Subject): Promise<Ending>;
  /** How long the instance takes to allow something; a failure where it never does, or takes longer where times are judged. */
  untilServes(instance: Instance, barMilliseconds: number): Promise<number>;
  /**
   * Asks for what has ended without a break until it is refused: between a lease that comes back and the change that
   * is put in force there must be no moment.
   */
  untilRefused(instance: Instance, subject: Subject): Promise<void>;
  /** Asks for everything that ended, on every one of them: how many were not refused. */
  countRevived(instances: readonly Instance[]): Promise<number>;
  /** Resolves when the last request is answered. Nothing is ended any more. */
  stop(): Promise<void>;
}

interface ProberOptions {
  readonly cluster: Cluster;
  readonly random: Random;
  /** Requests a second that each instance gets. */
  readonly perSecond?: number;
  readonly subjects?: Partial<SubjectCounts>;
}

/** Where every change is run, others use the processors too. */
const usualPerSecond = judgesTimes ? 50 : 20;
/** An instance that does not answer is not asked without end. */
const mostOutstanding = 300;
const defaultCounts: SubjectCounts = { tokens: 40, users: 30, rules: 40 };

export async function startProber(options: ProberOptions): Promise<Prober> {
  const { cluster, random, perSecond = usualPerSecond } = options;
  const good = await createSubjects(cluster, { ...defaultCounts, ...options.subjects });
  const ended: Subject[] = [];
  const failures: string[] = [];
  const probes = new Map<Instance, Probe[]>();
  const watched = new Map<Instance, { timer: NodeJS.Timeout; waiting: Set<Promise<unknown>> }>();
  const outstanding = new Set<Promise<unknown>>();
  let unknown = 0;
  let hasStopped = false;

  async function ask(
    instance: Instance,
    subject = pickSubject(random, good, ended),
    note = '',
  ): Promise<Probe> {
    const sentAt = performance.now();
    const hadEnded = subject.standing === 'ended';
    const outcome = await outcomeOrFailure(instance, subject.request, failures);
    if (hadEnded && outcome === 'allowed') failures.push(`STALE ALLOW of ${subject.name}${note}`);
    if (subject.standing === 'good' && outcome === 'refused')
      failures.push(`WRONG REFUSAL of what is good${note}`);
    const probe = { sentAt, milliseconds: performance.now() - sentAt, outcome };
    probes.get(instance)?.push(probe);
    return probe;
  }

  /** An instance whose lease ran out while the machine stood still says nothing. */
  function askUntilSaid(instance: Instance, subject: Subject): Promise<Probe['outcome']> {
    return askAgain(
      async () => (await ask(instance, subject, ', asked at the end')).outcome,
      (outcome) => outcome === 'unavailable' || outcome === 'failed',
    );
  }

  function askNow(instance: Instance, waiting: Set<Promise<unknown>>): void {
    if (waiting.size >= mostOutstanding) return;
    const asked = ask(instance).finally(() => {
      waiting.delete(asked);
      outstanding.delete(asked);
    });
    waiting.add(asked);
    outstanding.add(asked);
  }

  const pickGood = () => random.pick(good);

  async function endOne(writer: Instance, subject = pickGood()): Promise<Ending> {
    if (hasStopped) throw new Error('The prober has stopped.');
    good.splice(good.indexOf(subject), 1);
    subject.standing = 'ending';
    const startedAt = performance.now();
    const outcome = await outcomeOrFailure(writer, subject.ending, failures);
    const milliseconds = performance.now() - startedAt;
    if (outcome === 'refused') failures.push(`WRONG REFUSAL of the call that ends ${subject.name}`);
    const isEnded = outcome === 'allowed';
    if (isEnded) {
      subject.standing = 'ended';
      ended.push(subject);
    } else unknown += 1;
    good.push(isEnded ? subject.successor() : tokenSubject(cluster));
    return { ended: isEnded, milliseconds, subject };
  }

  return {
    failures,
    get counts() {
      return { ended: ended.length, unknown };
    },
    ask,
    pickGood,
    endOne,
    watch(instance) {
      const waiting = new Set<Promise<unknown>>();
      if (!probes.has(instance)) probes.set(instance, []);
      const timer = setInterval(() => askNow(instance, waiting), 1000 / perSecond);
      watched.set(instance, { timer, waiting });
    },
    async unwatch(instance) {
      const { timer, waiting = [] } = watched.get(instance) ?? {};
      clearInterval(timer);
      watched.delete(instance);
      await Promise.all(waiting);
    },
    probesOf: (instance, sentFrom = 0) =>
      (probes.get(instance) ?? []).filter(({ sentAt }) => sentAt >= sentFrom),
    async untilServes(instance, barMilliseconds) {
      const limit = isJudged('how soon an instance serves again') ? barMilliseconds : patienceMilliseconds;
      const startedAt = performance.now();
      for (;;) {
        const { outcome } = await ask(instance, pickGood());
        const milliseconds = performance.now() - startedAt;
        if (outcome === 'allowed') return milliseconds;
        if (milliseconds > limit) {
          failures.push(`an instance does not serve again within ${limit} ms: ${outcome}`);
          return milliseconds;
        }
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async untilRefused(instance, subject) {
      const deadline = performance.now() + patienceMilliseconds;
      async function go(): Promise<void> {
        while (performance.now() < deadline) if ((await ask(instance, subject)).outcome === 'refused') return;
      }
      await Promise.all(Array.from({ length: 5 }, go));
    },
    async countRevived(instances) {
      let revived = 0;
      for (const instance of instances)
        for (let from = 0; from < ended.length; from += 20) {
          const batch = ended.slice(from, from + 20);
          const answers = await Promise.all(batch.map((subject) => askUntilSaid(instance, subject)));
          revived += answers.filter((outcome) => outcome !== 'refused').length;
        }
      return revived;
    },
    async stop() {
      hasStopped = true;
      for (const { timer } of watched.values()) clearInterval(timer);
      watched.clear();
      await Promise.all(outstanding);
    },
  };
}

async function outcomeOrFailure(
  instance: Instance,
  request: Subject['request'],
  failures: string[],
): Promise<Probe['outcome']> {
  try {
    return await outcomeOf(instance, request);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) failures.push(`${request.method ?? 'GET'} ${request.path}: ${message}`);
    return 'failed';
  }
}
