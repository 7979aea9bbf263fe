import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

const LOOPBACK = '127.0.0.1'

/** A port that nobody listens on just now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, LOOPBACK)
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
