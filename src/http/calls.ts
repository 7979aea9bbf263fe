import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Clock, Random } from '../kernel/ports.ts'
import { createClientIp, toTrustedProxies } from './client-ip.ts'

type CallSettings = Pick<Config, 'trustedProxies' | 'drainNoticeMilliseconds' | 'drainMilliseconds'>

export function openCalls(config: CallSettings, { clock, random }: { clock: Clock; random: Random }) {
  const instance = Buffer.from(random.bytes(4)).toString('hex')
  let requests = 0
  let draining = false
  return {
    calls: {
      nextRequestId: () => `${instance}-${(++requests).toString(36)}`,
      isDraining: () => draining,
      clientIp: createClientIp(toTrustedProxies(config.trustedProxies)),
    },
    /**
     * Makes the readiness check fail from now on. Until load balancers notice, requests still arrive and are answered.
     */
    async announceEnd(): Promise<void> {
      draining = true
      if (config.drainNoticeMilliseconds > 0) {
        await new Promise<void>((resolve) => clock.after(config.drainNoticeMilliseconds, resolve))
      }
    },
    /** Takes no more requests and lets the running ones finish; after a time limit it cuts them off. */
    async finish(server: FastifyInstance, cutOff?: () => void): Promise<void> {
      const cancel = clock.after(config.drainMilliseconds, () => {
        server.server.closeAllConnections()
        cutOff?.()
      })
      await server.close()
      cancel()
    },
  }
}
