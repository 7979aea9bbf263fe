import { loadConfig } from '../config/config.ts'
import { nameKey, replaceSecretKey } from '../store/secrets.ts'
import { type Flags, print, withStore } from './store.ts'

/** Lets gateways start with another key, when the one that encrypted the store's secrets is lost or has leaked. */
export function takePresentKey({ json }: Flags): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const config = loadConfig()
    // A running gateway would go on encrypting with the old key. Any notice finds it; this one changes nothing.
    gateways.publish('jobs', '')
    const { in_force: isHeard, confirmed_by: running } = (await gateways.announced()).facts
    if (running.length > 0 || !isHeard) {
      const where = running.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ')
      throw new Error(
        `A gateway is running on this store${where && ` (${where})`}. Stop every gateway, then try again.`,
      )
    }
    await replaceSecretKey(config, ctx)
    print(json, { key: nameKey(config) }, [
      `${nameKey(config)} encrypts the secrets of this store from now on. Secrets encrypted with another key are unreadable: owners rotate their webhook secrets, and everyone signs in again.`,
    ])
  })
}
