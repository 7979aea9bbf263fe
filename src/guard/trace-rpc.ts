import { AppError } from '../kernel/errors.ts'
import { type Step, type Traces, asStep, toStepFailure } from '../kernel/traces.ts'
import type { RpcOutcome, RpcRequest } from './rpc-request.ts'

interface Passable {
  gateway: { store: { traces?: Traces | undefined } }
}

interface Passed<P> {
  name: string
  pass(passing: P): void | Promise<void>
}

/** Makes each step of a traced request a span of its trace. */
export const traceSteps = <P extends Passable, S extends Passed<P>>(order: readonly S[]): readonly S[] =>
  order.map((step) => ({
    ...step,
    pass: (passing: P) => asStep(passing.gateway.store.traces!.begin(`guard ${step.name}`), () => step.pass(passing)),
  }))

/** Most requests are not traced and skip this. */
export function traceRpc(
  traces: Traces,
  { requestId, ip, headers }: RpcRequest,
  walk: (isTraced: boolean) => RpcOutcome | Promise<RpcOutcome>,
): RpcOutcome | Promise<RpcOutcome> {
  const step = traces.arrive({ name: 'rpc', requestId, traceparent: headers.traceparent, ip })
  if (!step) return walk(false)
  const outcome = step.within(() => walk(true))
  return outcome instanceof Promise ? outcome.then((ended) => endTrace(step, ended)) : endTrace(step, outcome)
}

function endTrace(step: Step, outcome: RpcOutcome): RpcOutcome {
  const { trace, answer, error } = outcome
  const failure = answer === undefined ? toStepFailure(error) : undefined
  const status = error instanceof AppError ? error.status : failure?.isOurs ? 500 : 200
  if (trace.action !== undefined) step.rename(`rpc ${trace.action}`)
  step.note({
    'gateway.action': trace.action,
    'gateway.caller': trace.caller?.kind,
    'gateway.cache': trace.cache,
    'http.response.status_code': status,
  })
  step.end(failure)
  return outcome
}
