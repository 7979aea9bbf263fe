import { countUnread, dispatch } from '../guard/dispatch.ts'
import { type Gateway } from '../guard/passing.ts'
import type { RpcOutcome, RpcRequest, RpcTrace } from '../guard/rpc-request.ts'
import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import { toErrorReply } from './errors.ts'

/** What is reported about each request. No other field ever reaches a log line. */
export interface RpcReport {
  requestId: string
  action: string
  status: number
  code: string | undefined
  cache: string | undefined
  caller: Caller | undefined
  /** Hash of the block that was presented as payment. */
  payment: string | undefined
  milliseconds: number
  cause: unknown
}

/** The requests that the whole process is answering. */
interface Running {
  count: number
}

export interface Asking {
  gateway: Gateway
  concurrencyMax: number
  running: Running
  report(report: RpcReport): void
}

/** The status in the log for a client that left before its answer. */
export const CLIENT_LEFT = 499

export const overloaded = () =>
  new AppError('overloaded', 'Too many requests at once. Try again in a moment.', { retryAfterSeconds: 1 })

export const roundedSince = (startedAt: number) => Math.round((performance.now() - startedAt) * 10) / 10

export type Ask = ReturnType<typeof createAsk>

/**
 * Takes one request of a batch through everything that a single request passes: the limits of the process, the guards,
 * the log and the metrics. Never throws. `wrong` is the error of a request that cannot be read at all, which is counted
 * as well.
 */
export function createAsk({ gateway, concurrencyMax, running, report }: Asking) {
  return async function ask(request: RpcRequest, wrong?: AppError): Promise<RpcOutcome> {
    const startedAt = performance.now()
    const outcome = await run(request, wrong)
    const { trace, answer, error } = outcome
    const { status, code, isFailure } =
      answer === undefined ? toErrorReply(error) : { status: 200, code: undefined, isFailure: false }
    const { action = 'unknown', cache, caller, payment } = trace
    report({
      requestId: request.requestId,
      action,
      status: request.leaving.left && answer === undefined ? CLIENT_LEFT : status,
      code,
      cache,
      caller,
      payment: payment?.hash,
      milliseconds: roundedSince(startedAt),
      cause: isFailure ? error : undefined,
    })
    return outcome
  }

  async function run(request: RpcRequest, wrong: AppError | undefined): Promise<RpcOutcome> {
    if (running.count >= concurrencyMax) return { trace: { ...UNKNOWN }, error: overloaded() }
    running.count++
    try {
      return wrong === undefined ? await dispatch(gateway, request) : await refuse(request, wrong)
    } finally {
      running.count--
    }
  }

  async function refuse({ ip }: RpcRequest, wrong: AppError): Promise<RpcOutcome> {
    try {
      return { trace: { ...UNKNOWN, limit: await countUnread(gateway, ip) }, error: wrong }
    } catch (limited) {
      return { trace: { ...UNKNOWN }, error: limited }
    }
  }
}

/** The trace of a request that was refused before it was read. */
const UNKNOWN: RpcTrace = {
  cache: undefined,
  fresh: undefined,
  action: undefined,
  caller: undefined,
  limit: undefined,
}
