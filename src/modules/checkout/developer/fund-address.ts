import type { Raw } from '../../../kernel/money.ts'
import type { DevelopmentLedger } from '../../../kernel/ports.ts'
import type { CheckoutRoom } from '../room.ts'
import { lookSoon } from '../domain/end-early.ts'

/** Sends to an address from the account that holds everything on the development ledger. */
export async function fundAddress(
  ctx: CheckoutRoom,
  ledger: DevelopmentLedger,
  { address, amountRaw }: { address: string; amountRaw: Raw },
): Promise<string> {
  const hash = await ledger.fund(address, amountRaw)
  await lookSoon(ctx, address)
  return hash
}
