import { AppError, LedgerRefusal } from './errors.ts'

/**
 * What may be recorded of a step, and nothing else: names and values that we have chosen ourselves, or numbers. Bodies, keys, addresses, mails
 * and whatever else a caller wrote have no name here.
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

/** Whose work a step is: a request that came in, one that went out, a job, or our own. */
export type StepKind = 'server' | 'client' | 'consumer' | 'internal'

/** A step of a trace that has begun. */
export interface Step {
  /** Runs something as a part of it. */
  within<T>(run: () => T): T
  note(facts: Facts): void
  /** Where its name is known only now. */
  rename(name: string): void
  /** Once. */
  end(failure?: StepFailure): void
}

/** A failure is recorded by a word of ours, never by its text, which may hold anything. */
export interface StepFailure {
  type: string
  /** False where only the caller is to blame. */
  isOurs: boolean
}

/** How a request reached us. */
export interface Arrival {
  name: string
  requestId: string
  /** The header of that name, whatever the client wrote. */
  traceparent: unknown
  /** The client's network address, as far as it can be trusted. It is looked at, and not recorded. */
  ip: string
}

/**
 * Where the time of a request goes, sent to a collector. A part of all requests is traced; of the others nothing is made. Wherever it is
 * held it may be undefined: then the operator wants no traces, and nothing of this runs.
 */
export interface Traces {
  /** The first step of a request, or the next one of the trace at hand; undefined when this one is not traced. */
  arrive(arrival: Arrival): Step | undefined
  /** A step of what is traced at the moment; undefined where nothing is. */
  begin(name: string, facts?: Facts, kind?: StepKind): Step | undefined
  /** How whoever goes on later finds the trace at hand again; undefined where nothing is traced. */
  handle(): string | undefined
  /** Goes on with a trace by its handle, wherever that was kept; undefined when it is none. */
  resume(handle: unknown, name: string, facts?: Facts): Step | undefined
  /** Remembers for a while which request brought a block to the ledger, so that what the block causes belongs to its trace. */
  noteBlock(hash: string): void
  /** Goes on with the trace of the request that brought a block, or begins one, as often as of requests. */
  followBlock(hash: string, name: string): Step | undefined
  /** Runs something that belongs to no request, whoever has caused it. */
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
    // Whoever waits for the result hears how it ended; here it only ends the step.
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
