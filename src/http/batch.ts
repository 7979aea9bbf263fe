import type { ServerResponse } from 'node:http'
import { readJsonRpc } from '../guard/json-rpc.ts'
import type { Registry } from '../guard/registry.ts'
import type { RpcOutcome, RpcRequest } from '../guard/rpc-request.ts'
import { TooManyRequests } from '../guard/throttle.ts'
import type { LimitDecision } from '../kernel/ports.ts'
import type { Ask } from './ask.ts'
import { toErrorReply } from './errors.ts'
import { challengeIn, toJsonRpcError, toJsonRpcResult } from './json-rpc.ts'

interface Batch {
  texts: readonly string[]
  /** The parts of the HTTP request that all requests of the batch share. */
  request: Omit<RpcRequest, 'text'>
  width: number
  registry: Registry
  ask: Ask
}

/**
 * Answers the requests of a batch in order, each as if it had been sent alone. At most `width` answers are in memory: a
 * request begins only when the answer `width` places before it has been written and read by the client. So a hundred
 * large answers take the memory of a few.
 */
export async function answerBatch(
  { texts, request, width, registry, ask }: Batch,
  response: ServerResponse,
  begin: (limit: LimitDecision | undefined) => void,
): Promise<void> {
  const { leaving, requestId } = request
  // All requests count against one limit, so the latest decision says how much of it is left.
  let limit: LimitDecision | undefined
  const askOne: Ask = async (...asked) => {
    const outcome = await ask(...asked)
    const known = outcome.error instanceof TooManyRequests ? outcome.error.decision : outcome.trace.limit
    if (known && (limit === undefined || known.remaining <= limit.remaining)) limit = known
    return outcome
  }
  const answerOne = (at: number): Promise<string | undefined> =>
    answerElement(texts[at]!, { ...request, requestId: `${requestId}-${at + 1}` }, { registry, ask: askOne })
  const waiting: Promise<string | undefined>[] = []
  let isFirst = true
  for (let at = 0; at < texts.length && !leaving.left; at++) {
    while (waiting.length < width && at + waiting.length < texts.length) waiting.push(answerOne(at + waiting.length))
    const text = await waiting.shift()
    if (text === undefined) continue
    if (isFirst) begin(limit)
    if (!response.write((isFirst ? '[' : ',') + text)) await hasRead(response)
    isFirst = false
  }
  // If the client left, `leaving` has already notified the elements that still run; wait for them to end.
  await Promise.all(waiting)
  if (!isFirst) response.end(']')
}

async function answerElement(
  text: string,
  request: Omit<RpcRequest, 'text'>,
  { registry, ask }: Pick<Batch, 'registry' | 'ask'>,
): Promise<string | undefined> {
  const call = readJsonRpc(text, registry)
  const outcome = await ask({ ...request, text: call ? call.text : text }, call?.wrong)
  if (!call) return outcome.answer ?? refusalOf(outcome)
  if (call.id === undefined) return undefined
  return outcome.answer === undefined
    ? toJsonRpcError(call.id, outcome.error, outcome.trace)
    : toJsonRpcResult(call.id, outcome.answer)
}

/** The body of a refusal, including what a single request gets in its headers. */
function refusalOf({ error, trace }: RpcOutcome): string {
  const { status, body } = toErrorReply(error)
  return JSON.stringify({ ...challengeIn(trace), ...body, ...(status !== 200 && { status }) })
}

/** Resolves when the client has read what was written, or has left. */
const hasRead = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    if (response.destroyed) return resolve()
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
