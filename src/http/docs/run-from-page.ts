import type { IncomingMessage } from 'node:http'
import { dispatch } from '../../guard/dispatch.ts'
import { Leaving } from '../../kernel/leaving.ts'
import type { Json, JsonObject } from '../../kernel/shape.ts'
import type { RunResult } from '../../web/reference-form.tsx'
import { toErrorReply } from '../errors.ts'
import type { RpcOptions } from '../rpc.ts'

export type PageCall = Pick<RpcOptions, 'gateway' | 'clientIp' | 'report'>

/**
 * Runs a call that a reader made with the form on a page. The call passes the same guards as every call; only its
 * fields come from a form instead of JSON. Cookies have no effect here, so another site cannot use this form in the
 * name of a visitor.
 */
export async function runFromPage(
  { gateway, clientIp, report }: PageCall,
  { raw, id }: { raw: IncomingMessage; id: string },
  request: JsonObject,
  key: string,
): Promise<RunResult> {
  const startedAt = performance.now()
  const { origin } = raw.headers
  const { trace, answer, error } = await dispatch(gateway, {
    requestId: id,
    text: JSON.stringify(request),
    headers: { ...(origin !== undefined && { origin }), ...(key !== '' && { authorization: `Bearer ${key}` }) },
    url: '/',
    ip: clientIp(raw.socket.remoteAddress, raw.headers['x-forwarded-for']),
    leaving: new Leaving(),
  })
  const { status, code, body } =
    answer === undefined ? toErrorReply(error) : { status: 200, code: undefined, body: JSON.parse(answer) as Json }
  const milliseconds = Math.round((performance.now() - startedAt) * 10) / 10
  const { action = 'unknown', cache, caller, payment } = trace
  const cause = status >= 500 ? error : undefined
  report({ requestId: id, action, status, code, cache, caller, payment: payment?.hash, milliseconds, cause })
  const failed = status !== 200 || (typeof body === 'object' && body !== null && 'error' in body)
  return {
    status,
    milliseconds,
    answer: JSON.stringify(body, null, 2),
    failed,
    headers: [
      ...(payment?.required === undefined ? [] : [['PAYMENT-REQUIRED', payment.required] as const]),
      ...(trace.ignored === undefined ? [] : [['X-Ignored-Fields', trace.ignored] as const]),
    ],
  }
}
