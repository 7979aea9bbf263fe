import { AppError, LedgerRefusal } from './errors.ts'

/**
 * The facts that a step may record: names and values from our own code, and numbers. There are no names for bodies,
 * keys, addresses, emails or anything else from callers.
 */
export type FactName =
  | 'gateway.request_id'
  | 'gateway.action'
  | 'gateway.caller'
  | 'gateway.cache'
  | 'gateway.node'
  | 'gateway.hedged'
  | 'gateway.job.kind'
  | 'gateway.job.id'
  | 'gateway.job.attempt'
  | 'gateway.job.outcome'
  | 'gateway.delivery.id'
  | 'gateway.delivery.attempt'
  | 'gateway.event.id'
  | 'gateway.event.type'
  | 'http.request.method'
  | 'http.route'
  | 'http.response.status_code'
  | 'db.system.name'
  | 'db.operation.name'
  | 'db.collection.name'
  | 'error.type'

export type Facts = Readonly<Partial<Record<FactName, string | number | boolean | undefined>>>

/** The origin of a step: an incoming request, an outgoing one, a job, or internal work. */
export type StepKind = 'server' | 'client' | 'consumer' | 'internal'

/** A step of a trace that is running. */
export interface Step {
  /** Runs a function as part of the step. */
  within<T>(run: () => T): T
  note(facts: Facts): void
  /** Sets the name, if it is known only later. */
  rename(name: string): void
  /** Call it once. */
  end(failure?: StepFailure): void
}

/** A failure is recorded by one of our codes, not by its text, which could contain anything. */
export interface StepFailure {
  type: string
  /** False if only the caller is at fault. */
  isOurs: boolean
}

export interface Arrival {
  name: string
  requestId: string
  /** The header of this name, unchecked. */
  traceparent: unknown
  /** The client's network address, determined with trusted proxies only. It is checked but never recorded. */
  ip: string
}

/**
 * Records where the time of requests goes, for a collector. Only a sample of requests is traced; nothing is recorded
 * for the others. Fields of this type are `undefined` if the operator has switched traces off.
 */
export interface Traces {
  /** The first step of a request, or the next step of the current trace; undefined if it is not traced. */
  arrive(arrival: Arrival): Step | undefined
  /** A step of the current trace; undefined if there is none. */
  begin(name: string, facts?: Facts, kind?: StepKind): Step | undefined
  /** A text with which the current trace can be continued later; undefined if there is none. */
  handle(): string | undefined
  /** Continues a trace from such a text, wherever it was stored; undefined if the text is invalid. */
  resume(handle: unknown, name: string, facts?: Facts): Step | undefined
  /**
   * Remembers for a while which request published a block, so that everything that the block causes becomes part of its
   * trace.
   */
  noteBlock(hash: string): void
  /**
   * Continues the trace of the request that published a block; if there is none, may begin one, with the same sampling
   * as for requests.
   */
  followBlock(hash: string, name: string): Step | undefined
  /** Runs something outside of any trace. */
  outside<T>(run: () => T): T
}

/** Runs something as a step, which ends with it. */
export function asStep<T>(step: Step | undefined, run: () => T): T {
  if (step === undefined) return run()
  let result: T
  try {
    result = step.within(run)
  } catch (error) {
    step.end(toStepFailure(error))
    throw error
  }
  if (result instanceof Promise) {
    // The caller handles the result; here it only ends the step.
    result.then(
      () => step.end(),
      (error: unknown) => step.end(toStepFailure(error)),
    )
  } else step.end()
  return result
}

export function toStepFailure(error: unknown): StepFailure {
  if (error instanceof AppError) return { type: error.code, isOurs: error.status >= 500 }
  if (error instanceof LedgerRefusal) return { type: 'ledger_refusal', isOurs: false }
  return { type: error instanceof Error ? error.constructor.name : 'unknown', isOurs: true }
}
