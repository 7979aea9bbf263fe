import { Registry } from './guard/registry.ts'
import { accounts } from './modules/accounts/index.ts'
import { billing } from './modules/billing/index.ts'
import { checkouts } from './modules/checkout/index.ts'
import { email } from './modules/email/index.ts'
import { faucet } from './modules/faucet/index.ts'
import { ledger } from './modules/ledger/index.ts'
import { market } from './modules/market/index.ts'
import { names } from './modules/names/index.ts'
import { representatives } from './modules/reps/index.ts'
import { swap } from './modules/swap/index.ts'
import { usernames } from './modules/usernames/index.ts'
import { wallets } from './modules/wallets/index.ts'
import { work } from './modules/work/index.ts'

/** Everything that can be asked, in the order in which the reference shows it. */
export const listActions = (): Registry =>
  new Registry([
    names,
    ledger,
    accounts,
    market,
    representatives,
    work,
    wallets,
    checkouts,
    billing,
    usernames,
    email,
    faucet,
    swap,
  ])
