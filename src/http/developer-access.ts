import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { requireScope } from '../kernel/rights.ts'
import { isLoopback } from '../kernel/loopback.ts'
import { type SessionOptions, identifyApiCaller } from './session.ts'

/** Headers that proxies add. A request with any of them comes through a proxy, or claims to. */
const PROXIED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

interface DeveloperAccessOptions extends SessionOptions {
  isLocal: boolean
}

/**
 * Decides who may act as payer, merchant and network on the development ledger. On a local gateway everybody may. On a public one only callers on the same
 * machine and administrators may, because test nano can complete any checkout.
 */
export class DeveloperAccess {
  readonly #options: DeveloperAccessOptions

  constructor(options: DeveloperAccessOptions) {
    this.#options = options
  }

  /** For a caller whose role is known already. */
  admits(request: IncomingMessage, role: 'user' | 'admin' | undefined): boolean {
    return this.#options.isLocal || role === 'admin' || isOnThisMachine(request)
  }

  async require({ method, url, headers, raw }: FastifyRequest): Promise<void> {
    if (this.admits(raw, undefined)) return
    const caller = await identifyApiCaller(this.#options, { method, url, headers, body: undefined })
    if (caller.role !== 'admin')
      throw new AppError('feature_disabled', 'Only administrators may use the development ledger here.')
    // The scope that all operations of administrators need.
    requireScope(caller, 'keys')
  }

  async mayEnter(request: FastifyRequest): Promise<boolean> {
    try {
      await this.require(request)
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }
}

/**
 * Checks that the connection is local and that the Host header names this machine. A request that came through a proxy
 * on this machine does not count.
 */
export function isOnThisMachine(request: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  const { headers } = request
  if (PROXIED.some((name) => headers[name] !== undefined)) return false
  return isLoopback(request.socket.remoteAddress ?? '') && isLoopback((headers.host ?? '').replace(/:[0-9]*$/, ''))
}
