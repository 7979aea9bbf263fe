import { payerWallets } from '../../kernel/payer-wallets.ts'
import { type ValuesOf, list, setting, whole } from '../../kernel/setting.ts'

export const CHECKOUT_SETTINGS = {
  checkoutLifetimeHours: setting(
    'CHECKOUT_LIFETIME_HOURS',
    '24',
    whole(1, 8_760),
    'How long a checkout can be paid, in hours.',
  ),
  checkoutGeneratedWallets: setting(
    'CHECKOUT_GENERATED_WALLETS',
    '',
    list,
    'Accounts whose checkouts may have wallets of their own, separated by commas; `all` means every account, which is the default on the development ledger.',
  ),
  checkoutOpenMax: setting(
    'CHECKOUT_OPEN_MAX',
    '1000',
    whole(0),
    'Most open checkouts of an account on one address; 0 means no limit.',
  ),
  checkoutOpenPublicKeyMax: setting(
    'CHECKOUT_OPEN_PUBLIC_KEY_MAX',
    '1000',
    whole(0),
    "The same for checkouts made with one public key; they do not count towards the account's own.",
  ),
  checkoutOpenAnonymousMax: setting(
    'CHECKOUT_OPEN_ANONYMOUS_MAX',
    '20',
    whole(0),
    'The same for all callers without a key together.',
  ),
  checkoutBuyerMailsPerDay: setting(
    'CHECKOUT_BUYER_MAILS_PER_DAY',
    '2000',
    whole(0),
    'Most receipts and refund notices to buyers of an account in a day; more wait for the next; 0 means no limit.',
  ),
  payerWallets: setting(
    'PAYER_WALLETS',
    'Nautilus ios+android https://nautilus.io, Natrium ios+android https://natrium.io, Nault desktop https://nault.cc, Cake Wallet desktop https://cakewallet.com',
    payerWallets,
    'Wallets that pages name to people who have none: `name platforms https://…`, separated by commas; the first two for a device are shown. Platforms are `ios`, `android` and `desktop`, joined by `+`. Empty names none; the development ledger names none.',
  ),
} as const

export type CheckoutSettings = ValuesOf<typeof CHECKOUT_SETTINGS>
