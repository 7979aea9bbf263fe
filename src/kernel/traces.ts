import { AppError, LedgerRefusal } from './errors.ts'

/**
 * Everything that may be recorded of a step: names and values of our own choice, or numbers. There is no name for bodies, keys,
 * addresses, emails or anything else that a caller wrote.
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

/** A step of a trace in progress. */
export interface Step {
  /** Runs something as a part of it. */
  within<T>(run: () => T): T
  note(facts: Facts): void
  /** For a name that is known only later. */
  rename(name: string): void
  /** To be called once. */
  end(failure?: StepFailure): void
}

/** A failure is recorded by a code of ours, never by its text, which may contain anything. */
export interface StepFailure {
  type: string
  /** False where only the caller is to blame. */
  isOurs: boolean
}

/** A request as it arrived. */
export interface Arrival {
  name: string
  requestId: string
  /** The header of that name, whatever the client wrote. */
  traceparent: unknown
  /** The client's network address, as far as it can be trusted. It is checked, but never recorded. */
  ip: string
}

/**
 * Where the time of requests goes, sent to a collector. A sample of all requests is traced; the others record nothing. Holders may have
 * `undefined` instead: then the operator has switched traces off, and none of this runs.
 */
export interface Traces {
  /** The first step of a request, or the next one of the current trace; undefined when it is not traced. */
  arrive(arrival: Arrival): Step | undefined
  /** A step of the current trace; undefined where there is none. */
  begin(name: string, facts?: Facts, kind?: StepKind): Step | undefined
  /** A handle with which the current trace can be continued later; undefined where there is none. */
  handle(): string | undefined
  /** Continues a trace by its handle, wherever that was kept; undefined when it is invalid. */
  resume(handle: unknown, name: string, facts?: Facts): Step | undefined
  /** Remembers for a while which request published a block, so that what the block causes belongs to its trace. */
  noteBlock(hash: string): void
  /** Continues the trace of the request that published a block, or begins one, with the same sampling as for requests. */
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
    // The caller handles the result; here its end only ends the step.
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
