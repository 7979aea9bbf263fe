import { toSkeleton } from './name.ts'

/** Names that would speak for the service, its pages, the ledger, or well-known houses; and words that programs trip over. */
const RESERVED = `
  about abuse account accounts action actions admin administrator admins alias aliases api app apps assets auth billing
  blog bot bots buy callback cdn check checkout claim claims client config confirm contact cookie credits currency
  dashboard default dev developer developers devnet docs donate donation donations download email escrow events
  everybody everyone exchange export facilitator faucet feedback file files fund funds gateway genesis health help home
  host hostmaster http https info invoice invoices jobs json key keys known ledger legal link links login logout mail
  market me merchant metrics mod moderator money name names network news node nodes noreply notify null official
  openapi operator owner page pages pay payment payments payout ping postmaster press price pricing privacy process
  public receive receipt refund refunds register rep reports representative representatives reps reserved rest root
  rpc sales secret secure security seed send server service services session settings shop sign signin signup staff
  stats status store support swap sweep sysadmin system team template terms test tip tips token tos treasury true undefined
  user username usernames users verify version wallet wallets web webhook webhooks webmaster websocket wellknown work
  www x402 false nan infinity constructor prototype proto
  nano nanocurrency nanofoundation nanogateway nanonode nanoto raiblocks rai xno xrb xnoexchange banano ban raw
  binance bitcoin bitfinex bitget bitpay bitstamp bybit coinbase coingecko coinmarketcap ethereum gateio huobi kraken
  kucoin ledgerlive mastercard mexc metamask nanovault nanswap natrium nault nautilus okex okx paypal revolut stripe
  tether trezor usdc usdt visa wirex
`
  .trim()
  .split(/\s+/)

/** Tells reserved words, also when they are written so that they only look like themselves. */
export function reservedWords(more: Iterable<string>): (name: string) => boolean {
  const skeletons = new Set([...RESERVED, ...more].map(toSkeleton))
  return (name) => skeletons.has(toSkeleton(name))
}
