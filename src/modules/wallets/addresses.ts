import { announcedBlock } from '../../kernel/nano/announced-block.ts'
import type { Confirmation, ConfirmationBus } from '../../kernel/ports.ts'

/** Maps addresses to our wallets, and wakes a wallet when the ledger confirms a block that concerns it. Jobs find what the stream misses. */
export class WalletAddresses {
  readonly #bus: ConfirmationBus
  readonly #wake: (walletId: string) => void
  readonly #walletIds = new Map<string, string>()
  readonly #ends: (() => void)[] = []

  constructor(bus: ConfirmationBus, wake: (walletId: string) => void) {
    this.#bus = bus
    this.#wake = wake
    this.#ends.push(bus.listen((confirmation) => this.#receive(confirmation)))
  }

  add(walletId: string, address: string): void {
    if (this.#walletIds.has(address)) return
    this.#walletIds.set(address, walletId)
    this.#ends.push(this.#bus.watch(address))
  }

  close(): void {
    for (const end of this.#ends) end()
  }

  /** A block of our own, or a send to one of our wallets. Receiving the same message twice only causes a second look. */
  #receive({ account, block }: Confirmation): void {
    const own = this.#walletIds.get(account)
    if (own !== undefined) this.#wake(own)
    const paid = this.#walletIds.get(announcedBlock(block).to ?? '')
    if (paid !== undefined) this.#wake(paid)
  }
}
