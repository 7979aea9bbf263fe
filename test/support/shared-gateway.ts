import { after, before } from 'node:test'
import { type Gateway, openGateway } from './gateway.ts'

/** One gateway for all tests of a file that do not affect each other. */
export function shareGateway(env: Record<string, string> = {}): Gateway {
  const gateway = {} as Gateway
  const ends: (() => unknown)[] = []
  before(async () => {
    Object.assign(gateway, await openGateway({ after: (end) => void ends.push(end) }, env))
  })
  after(async () => {
    for (const end of ends) await end()
  })
  return gateway
}
