import type { Prompt } from '@modelcontextprotocol/sdk/types.js'

interface Written extends Prompt {
  text(given: Readonly<Record<string, string>>): string
}

/** The most frequent tasks of agents, each with instructions that need only the tools. */
const PROMPTS: readonly Written[] = [
  {
    name: 'take_payment',
    title: 'Take a payment',
    description: 'Make a checkout and report when it is paid.',
    arguments: [
      { name: 'amount', description: 'How much, in nano or in the currency.', required: true },
      { name: 'currency', description: 'NANO, or a code such as USD.' },
      { name: 'order', description: 'Number or name of the order.' },
      { name: 'address', description: 'Who is paid: an address or @name. Without it, a new wallet.' },
    ],
    text: ({ amount, currency = 'NANO', order, address }) =>
      steps(
        `Take a payment of ${amount} ${currency}${order ? ` for order ${order}` : ''}.`,
        !address && 'Call wallet_create without any field but an idempotency_key. Its `address` is who is paid.',
        `Call checkout with address ${address || '(that address)'}, amount "${amount}", currency "${currency}"${order ? `, title "Order ${order}", metadata {"order": "${order}"}` : ''} and a new idempotency_key. If the answer is lost, repeat the call with the same idempotency_key.`,
        'Give the payer the page in `browser`, or `amount` and `link`. The amount may have a few more digits than you asked for: they identify this payment.',
        'Call checkout_status with the `id` and wait_seconds 50, again and again, until `status` is complete, expired or cancelled. detected and partial are not paid yet.',
        'complete means paid: report `amount_paid` and the hash in `block`. If it is expired or cancelled, say so, and that nothing was paid.',
      ),
  },
  {
    name: 'check_account',
    title: 'Check an account',
    description: 'Balance, receivable amounts and the latest blocks.',
    arguments: [{ name: 'account', description: 'An address or @name.', required: true }],
    text: ({ account }) =>
      steps(
        `Check the account ${account}.`,
        'Call account_balance, receivable (source true, count 10) and account_history (count 10) with it. Amounts whose name ends in _nano are nano, the others raw.',
        'Report its balance, what is receivable, and its latest blocks.',
      ),
  },
  {
    name: 'send_payment',
    title: 'Send from a cloud wallet',
    description: 'Send nano from a wallet of your account, once, within a limit.',
    arguments: [
      { name: 'to', description: 'The recipient: an address or @name.', required: true },
      { name: 'amount', description: 'How much, in nano.', required: true },
      { name: 'wallet', description: 'Address of the wallet; by default one that holds enough.' },
      { name: 'daily_limit', description: 'Most nano in a day (UTC), this payment included.' },
    ],
    text: ({ to, amount, wallet, daily_limit: limit }) =>
      steps(
        `Send ${amount} nano to ${to}.`,
        wallet
          ? `The wallet is ${wallet}. Call wallet_balance to see that balance_nano and receivable_nano together are enough.`
          : 'Call wallet_list, and choose a wallet whose balance is at least the amount; balances there are raw, and 1 nano is 10^30 raw.',
        limit &&
          `Never send more than ${limit} nano in a day. Call account_history with that wallet and count 100, and add the amount_nano of all entries of type send whose local_timestamp is of today (UTC). If that and ${amount} are more than ${limit}, send nothing and say so.`,
        `Call wallet_send with account (the wallet), to "${to}", amount "${amount}" and one new idempotency_key. If the answer is lost, repeat it with the same idempotency_key and never with another.`,
        'If it is refused with spending_limit or limit_reached, do not try another way: report the limit and when it resets. Otherwise report the hash.',
      ),
  },
  {
    name: 'pay_for_call',
    title: 'Pay for one call',
    description: 'Buy a call that has a price, without a key.',
    arguments: [{ name: 'action', description: 'The tool to buy, such as work_generate.', required: true }],
    text: ({ action }) =>
      steps(
        `Buy one call of ${action}.`,
        `Call ${action}. Its error has the price under _meta["x402/error"].accepts.`,
        'If your budget allows it, sign a send block of exactly that amount to payTo without publishing it, and call again with the same arguments and the payment under _meta["x402/payment"].',
        'The receipt is under _meta["x402/payment-response"]. A payment buys one call: the same payment with the same arguments gets the same answer again.',
      ),
  },
]

const steps = (task: string, ...lines: (string | false | undefined)[]) =>
  [task, ...lines.filter(Boolean).map((line, at) => `${at + 1}. ${line as string}`)].join('\n')

export const listPrompts = (): Prompt[] => PROMPTS.map(({ text: _text, ...prompt }) => prompt)

/** The text of a prompt. Returns undefined for an unknown prompt, and the name of the argument if one is missing. */
export function writePrompt(
  name: string,
  given: Readonly<Record<string, string>>,
): { text: string; description: string } | { missing: string } | undefined {
  const prompt = PROMPTS.find((each) => each.name === name)
  if (!prompt) return undefined
  const missing = prompt.arguments?.find((each) => each.required && !given[each.name])
  return missing ? { missing: missing.name } : { text: prompt.text(given), description: prompt.description ?? '' }
}
