import { loadConfig } from '../config/config.ts'
import { nameKey, replaceSecretKey } from '../store/secrets.ts'
import { type Flags, print, withStore } from './store.ts'

/** Lets the gateway start with another key, when the one that sealed the store's secrets is lost or known to others. */
export function takePresentKey({ json }: Flags): Promise<void> {
  return withStore(async (ctx) => {
    const config = loadConfig()
    await replaceSecretKey(config, ctx)
    print(json, { key: nameKey(config) }, [
      `${nameKey(config)} seals the secrets of this store from now on. What another key has sealed stays shut: owners rotate their webhook secrets, and everybody signs in again.`,
    ])
  })
}
