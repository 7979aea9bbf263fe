import type { Store } from '../../src/infra/db/open.ts'
import { until } from './until.ts'

/** Waits until one instance has received the other's notifications. */
export async function untilReceived(from: { store: Store }, to: { store: Store }): Promise<void> {
  let heard = false
  const stop = to.store.notices.subscribe('hello', () => (heard = true))
  await until(() => {
    from.store.notices.publish('hello', '')
    return heard
  })
  stop()
}
