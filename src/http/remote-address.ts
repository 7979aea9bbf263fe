import type { IncomingMessage } from 'node:http'

/** Headers between our own processes. A front takes them out of what clients send. */
export const FRONT_MARK = 'x-nano-gateway-front'
export const FRONT_CLIENT = 'x-nano-gateway-client'

const told = new WeakMap<object, string>()

/** The other end of the client's connection: the one we hold, or the one a front of ours holds. */
export function remoteAddressOf(request: Pick<IncomingMessage, 'socket'>): string | undefined {
  return told.get(request) ?? request.socket.remoteAddress
}

/** Whether a front has handed this request over; its client's address counts from then on. No other client is let in by this door. */
export function admitFront(request: IncomingMessage, isFront: (mark: string) => boolean): boolean {
  const { headers } = request
  const mark = headers[FRONT_MARK]
  const client = headers[FRONT_CLIENT]
  if (typeof mark !== 'string' || typeof client !== 'string' || !isFront(mark)) return false
  told.set(request, client)
  // Nothing behind this door has any use for it.
  delete headers[FRONT_MARK]
  delete headers[FRONT_CLIENT]
  request.rawHeaders.length = 0
  return true
}
