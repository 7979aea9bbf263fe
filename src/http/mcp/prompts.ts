import type { Prompt } from '@modelcontextprotocol/sdk/types.js'

interface Written extends Prompt {
  text(given: Readonly<Record<string, string>>): string
}

/** What agents are asked for most, in words that lead to the right tools. */
const PROMPTS: readonly Written[] = [
  {
    name: 'take_payment',
    title: 'Take a payment',
    description: 'Make a checkout and wait until it is paid.',
    arguments: [
      { name: 'address', description: 'Who is paid: an address or @name.', required: true },
      { name: 'amount', description: 'How much, in nano or in the currency.', required: true },
      { name: 'currency', description: 'NANO, or a code such as USD.' },
    ],
    text: ({ address, amount, currency = 'NANO' }) =>
      `Make a checkout with the tool checkout for ${amount} ${currency} to ${address}, with a new idempotency_key. Give the payer the link in \`browser\`. Then poll the URL in \`check\` now and then: only the status complete, with a block, is a payment. Report what was paid and the hash of the block.`,
  },
  {
    name: 'check_account',
    title: 'Check an account',
    description: 'Balance, receivable amounts and the latest blocks.',
    arguments: [{ name: 'account', description: 'An address or @name.', required: true }],
    text: ({ account }) =>
      `Check the account ${account} with the tools account_balance, receivable (array "true") and account_history (count 10). Amounts whose name ends in _nano are nano, the others raw. Report its balance, what is receivable, and its latest blocks.`,
  },
  {
    name: 'send_payment',
    title: 'Send from a cloud wallet',
    description: 'Send nano from a wallet of your account, once.',
    arguments: [
      { name: 'wallet', description: 'Address of the wallet.', required: true },
      { name: 'to', description: 'The recipient: an address or @name.', required: true },
      { name: 'amount', description: 'How much, in nano.', required: true },
    ],
    text: ({ wallet, to, amount }) =>
      `Send ${amount} nano from the cloud wallet ${wallet} to ${to}. First check with cloud_wallet {balance: true, account} that it holds enough, and ask the user to confirm recipient and amount. Then call cloud_wallet {send, amount, account} with one new idempotency_key; if the answer is lost, call again with the same one and never with another. Report the hash.`,
  },
  {
    name: 'pay_for_call',
    title: 'Pay for one call',
    description: 'Buy a call that has a price, without a key.',
    arguments: [{ name: 'action', description: 'The tool to buy, such as work_generate.', required: true }],
    text: ({ action }) =>
      `Call ${action}. Its error has the price under _meta["x402/error"].accepts. If your budget allows it, sign a send block of exactly that amount to payTo without publishing it, and call again with the same arguments and the payment under _meta["x402/payment"]. The receipt is under _meta["x402/payment-response"]. A payment buys one call: the same payment with the same arguments gets the same answer again.`,
  },
]

export const listPrompts = (): Prompt[] => PROMPTS.map(({ text: _text, ...prompt }) => prompt)

/** The words of a prompt; undefined for an unknown one, and the name of what is missing for an incomplete one. */
export function writePrompt(
  name: string,
  given: Readonly<Record<string, string>>,
): { text: string; description: string } | { missing: string } | undefined {
  const prompt = PROMPTS.find((each) => each.name === name)
  if (!prompt) return undefined
  const missing = prompt.arguments?.find((each) => each.required && !given[each.name])
  return missing ? { missing: missing.name } : { text: prompt.text(given), description: prompt.description ?? '' }
}
