import type { StoreEngine } from '../../../kernel/dialect.ts'
import type { NodePort } from '../../../kernel/ports.ts'
import type { SecretCtx } from '../domain/account-secret.ts'

/** What the verbs of watched addresses work with. */
export interface WatchRoom extends SecretCtx {
  node: NodePort
  engine: StoreEngine
  /** Of all endpoints of an account. */
  addressesMax: number
  /** Says, here and to other instances, that these are listened for from now on. */
  heed(addresses: readonly string[]): void
}
