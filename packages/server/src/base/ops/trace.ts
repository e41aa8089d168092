// Spans of OpenTelemetry, through its api alone: without an SDK in the process they cost next to nothing. The checks of a
// request have none: a span costs more than a decision does. No attribute holds a name, an address or a secret, and no
// span the text of an error: Postgres repeats values in it.
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

/** Asked for every time: an SDK may be registered after this module is loaded. */
const tracer = () => trace.getTracer('portcullis');

/** The same function, as a span of its own inside the active one. */
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

/** A span for a request, below the one that its `traceparent` names where the process reads it. */
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

/** A refusal is an answer; a fault is an error. */
export function noteError(span: Span, error: unknown): void {
  const kind = error instanceof AppError ? error.kind : 'internal';
  span.setAttribute('error.type', kind);
  if (kind === 'internal' || kind === 'unavailable') span.setStatus({ code: SpanStatusCode.ERROR });
}
