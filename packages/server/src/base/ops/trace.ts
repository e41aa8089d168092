// OpenTelemetry tracing through its API package alone: without an SDK in the process, spans cost next to nothing. The checks of a
// request have no spans, because a span costs more than a decision. No attribute holds a name, an address or a secret, and no span
// holds the text of an error, because Postgres repeats values in it.
import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AppError } from '@portcullis/contract';

/** Looked up on each call: an SDK can be registered after this module is loaded. */
const tracer = () => trace.getTracer('portcullis');

/** Wraps a function in a child span of the active one. */
export function traced<Given extends readonly unknown[], Result>(
  name: string,
  work: (...given: Given) => Promise<Result>,
  attributesOf: (...given: Given) => Attributes = () => ({}),
): (...given: Given) => Promise<Result> {
  return (...given) =>
    tracer().startActiveSpan(name, { attributes: attributesOf(...given) }, (span) =>
      end(span, () => work(...given)),
    );
}

/** Starts the span of a request, below the parent that its `traceparent` names, if a propagator is registered. */
export function startRequestSpan(name: string, headers: object, attributes: Attributes) {
  const parent = propagation.extract(context.active(), headers);
  const span = tracer().startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
  const active = trace.setSpan(parent, span);
  return { span, run: <T>(work: () => T): T => context.with(active, work) };
}

async function end<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    noteError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Only `internal` and `unavailable` mark the span as failed; a refusal is a regular answer. */
export function noteError(span: Span, error: unknown): void {
  const kind = error instanceof AppError ? error.kind : 'internal';
  span.setAttribute('error.type', kind);
  if (kind === 'internal' || kind === 'unavailable') span.setStatus({ code: SpanStatusCode.ERROR });
}
