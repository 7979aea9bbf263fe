import type { StoreEngine } from '../../../kernel/dialect.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import type { SecretCtx } from '../domain/account-secret.ts'

/** The context of functions about watched addresses. */
export interface WatchContext extends SecretCtx {
  node: NodePort
  engine: StoreEngine
  /** The maximum for all endpoints of an account together. */
  addressesMax: number
  /** Subscribes to these addresses, on this instance and the others. */
  watch(addresses: readonly string[]): void
}
