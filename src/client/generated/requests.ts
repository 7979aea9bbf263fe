/* Made from the registry by `npm run keep-client`; changes belong there. */
/** What each action takes. */
export interface Requests {
  /** All current usernames and their addresses. */
  known: Record<string, never>
  /** Names of well-known accounts. */
  aliases: Record<string, never>
  /** Frontier, balance, representative and block count of one account. Read it right before building a block. */
  account_info: {
    /** A ledger account: an address or `@username`. */
    account: string
    /** Include the representative. */
    representative?: boolean | undefined
    /** Include the voting weight. */
    weight?: boolean | undefined
    /** Old name of `receivable`. */
    pending?: boolean | undefined
    /** Include the receivable sum. */
    receivable?: boolean | undefined
    /** Include confirmed values beside the current ones. */
    include_confirmed?: boolean | undefined
  }
  /** Balance and receivable amount of one account; zeros for an account that was never opened. */
  account_balance: {
    /** A ledger account: an address or `@username`. */
    account: string
    /** Count confirmed blocks only, which is the default. */
    include_only_confirmed?: boolean | undefined
  }
  /** Balances of many accounts, keyed by each identifier as given; wrong ones are listed under `errors`. */
  accounts_balances: {
    /** Up to 1000 accounts. */
    accounts: Array<string>
    /** Count confirmed blocks only, which is the default. */
    include_only_confirmed?: boolean | undefined
  }
  /** Sends and receives of an account, newest first. */
  account_history: {
    /** A ledger account: an address or `@username`. */
    account?: string | undefined
    /** How many entries at most; `-1` returns as many as the server allows. */
    count: number | string
    /** The block to start with, instead of the newest of an account. */
    head?: string | undefined
    /** How many entries to skip. */
    offset?: number | string | undefined
    /** Oldest first. */
    reverse?: boolean | undefined
    /** Every block with all its fields. */
    raw?: boolean | undefined
    /** Up to 1000 accounts. */
    account_filter?: Array<string> | undefined
  }
  /** Sends to an account that it has not received yet. With `array` the answer is a list of objects. */
  receivable: {
    /** A ledger account: an address or `@username`. */
    account: string
    /** How many entries at most; `-1` returns as many as the server allows. */
    count?: number | string | undefined
    /** How many entries to skip. */
    offset?: number | string | undefined
    /** Smallest amount in raw. */
    threshold?: string | number | bigint | undefined
    /** Include the sender of each. */
    source?: boolean | undefined
    /** Include the epoch each needs. */
    min_version?: boolean | undefined
    /** Largest first. */
    sorting?: boolean | undefined
    /** Include blocks in an open election. */
    include_active?: boolean | undefined
    /** Confirmed sends only, which is the default. */
    include_only_confirmed?: boolean | undefined
    /** Answer with a list of objects. */
    array?: boolean | undefined
  }
  /** Sends that each of many accounts has not received yet: account, then hash, then amount and source. */
  accounts_receivable: {
    /** Up to 1000 accounts. */
    accounts: Array<string>
    /** How many entries at most; `-1` returns as many as the server allows. */
    count?: number | string | undefined
    /** Smallest amount in raw. */
    threshold?: string | number | bigint | undefined
    /** Largest first. */
    sorting?: boolean | undefined
    /** Include blocks in an open election. */
    include_active?: boolean | undefined
    /** Confirmed sends only, which is the default. */
    include_only_confirmed?: boolean | undefined
    /** Accepted for compatibility; the source is always included. */
    source?: boolean | undefined
  }
  /** Old name of `accounts_receivable`, in the formats that programs expect: hashes, amounts with `threshold` or `sorting`, amount and source with `source`. */
  accounts_pending: {
    /** Up to 1000 accounts. */
    accounts: Array<string>
    /** How many entries at most; `-1` returns as many as the server allows. */
    count?: number | string | undefined
    /** Smallest amount in raw. */
    threshold?: string | number | bigint | undefined
    /** Largest first. */
    sorting?: boolean | undefined
    /** Include blocks in an open election. */
    include_active?: boolean | undefined
    /** Confirmed sends only, which is the default. */
    include_only_confirmed?: boolean | undefined
    /** Include the sender of each. */
    source?: boolean | undefined
  }
  /** Whether a send is still receivable. */
  receivable_exists: {
    /** A block hash of 64 hexadecimal digits. */
    hash: string
    /** Include blocks in an open election. */
    include_active?: boolean | undefined
    /** Confirmed sends only, which is the default. */
    include_only_confirmed?: boolean | undefined
  }
  /** One block with its amount, height, confirmation and contents. */
  block_info: {
    /** A block hash of 64 hexadecimal digits. */
    hash: string
    /** `false` returns the contents as JSON inside a string. */
    json_block?: boolean | undefined
  }
  /** Many blocks by hash. An unknown hash fails the request, unless `include_not_found` lists them instead. */
  blocks_info: {
    /** Up to 1000 block hashes. */
    hashes: Array<string>
    /** `false` returns the contents as JSON inside a string. */
    json_block?: boolean | undefined
    /** Old name of `receivable`. */
    pending?: boolean | undefined
    /** Include whether each is still receivable. */
    receivable?: boolean | undefined
    /** Include the block that received each. */
    receive_hash?: boolean | undefined
    /** Include the sender of each. */
    source?: boolean | undefined
    /** List unknown hashes under `blocks_not_found`. */
    include_not_found?: boolean | undefined
  }
  /** Finds the newest payment of an exact amount to an address, received or not. */
  find_block: {
    /** A ledger account: an address or `@username`. */
    address: string
    /** An amount in nano, a decimal with up to 30 places. */
    amount: string | number | bigint
  }
  /** Publishes a signed block. Do not repeat it blindly: after a timeout look the block up first. */
  process: {
    /** A block as an object, or as JSON in a string. */
    block: Record<string, unknown> | string
    /** What the block does: `send`, `receive`, `open`, `change` or `epoch`. */
    subtype?: 'send' | 'receive' | 'open' | 'change' | 'epoch' | '' | undefined
    /** Accepted for compatibility; both forms of a block are read. */
    json_block?: boolean | undefined
    /** Refused: only a node operator may force a block. */
    force?: boolean | undefined
  }
  /** Version and network of the node behind the gateway. */
  version: {
    /** Include details of peers, if there are any. */
    peer_details?: boolean | undefined
    /** Include the trend of the difficulty. */
    include_trend?: boolean | undefined
    /** Values of each peer instead of one summary. */
    raw?: boolean | undefined
  }
  /** How many blocks the ledger holds, under the old and the new names. */
  block_count: Record<string, never>
  /** Newest block of each of many accounts; unknown and wrong ones are listed under `errors`. */
  accounts_frontiers: {
    /** Up to 1000 accounts. */
    accounts?: Array<string> | undefined
    /** A ledger account: an address or `@username`. */
    account?: string | undefined
  }
  /** Representative of each of many accounts; unknown and wrong ones are listed under `errors`. */
  accounts_representatives: {
    /** Up to 1000 accounts. */
    accounts: Array<string>
  }
  /** The representative of an account. */
  account_representative: {
    /** A ledger account: an address or `@username`. */
    account: string
  }
  /** The voting weight delegated to an account. */
  account_weight: {
    /** A ledger account: an address or `@username`. */
    account: string
  }
  /** How many blocks an account has. */
  account_block_count: {
    /** A ledger account: an address or `@username`. */
    account: string
  }
  /** The public key of an address. */
  account_key: {
    /** A ledger account: an address or `@username`. */
    account: string
  }
  /** The address of a public key. */
  account_get: {
    /** A public key of 64 hexadecimal digits. */
    key: string
  }
  /** Whether a text is an address with a valid checksum. */
  validate_account_number: {
    /** The text to check. */
    account: string
  }
  /** Nano to raw, exact to the last of 30 decimals. */
  nano_to_raw: {
    /** An amount in nano, a decimal with up to 30 places. */
    amount: string | number | bigint
  }
  /** Raw to nano, exact to the last of 30 decimals. */
  raw_to_nano: {
    /** An amount in raw, a whole number. */
    amount: string | number | bigint
  }
  /** The contents of many blocks by hash. An unknown hash fails the request, unless `include_not_found` lists them instead. */
  blocks: {
    /** Up to 1000 block hashes. */
    hashes: Array<string>
    /** `false` returns the contents as JSON inside a string. */
    json_block?: boolean | undefined
    /** List unknown hashes under `blocks_not_found`. */
    include_not_found?: boolean | undefined
  }
  /** The account a block belongs to. */
  block_account: {
    /** A block hash of 64 hexadecimal digits. */
    hash: string
  }
  /** Asks the representatives to vote on an unconfirmed block. */
  block_confirm: {
    /** A block hash of 64 hexadecimal digits. */
    hash: string
  }
  /** The hash of a block, computed here. */
  block_hash: {
    /** A block as an object, or as JSON in a string. */
    block: Record<string, unknown> | string
    /** Accepted for compatibility. */
    json_block?: boolean | undefined
  }
  /** Hashes from a block back to the opening of its account. */
  chain: {
    /** A block hash of 64 hexadecimal digits. */
    block: string
    /** How many entries at most; `-1` returns as many as the server allows. */
    count: number | string
    /** How many entries to skip. */
    offset?: number | string | undefined
    /** Go in the other direction. */
    reverse?: boolean | undefined
  }
  /** Hashes from a block forward to the newest of its account. */
  successors: {
    /** A block hash of 64 hexadecimal digits. */
    block: string
    /** How many entries at most; `-1` returns as many as the server allows. */
    count: number | string
    /** How many entries to skip. */
    offset?: number | string | undefined
    /** Go in the other direction. */
    reverse?: boolean | undefined
  }
  /** Accounts that delegate to a representative, with their balances in raw. */
  delegators: {
    /** A ledger account: an address or `@username`. */
    account: string
    /** How many entries at most; `-1` returns as many as the server allows. */
    count?: number | string | undefined
    /** Smallest amount in raw. */
    threshold?: string | number | bigint | undefined
    /** A ledger account: an address or `@username`. */
    start?: string | undefined
  }
  /** How many accounts delegate to a representative. */
  delegators_count: {
    /** A ledger account: an address or `@username`. */
    account: string
  }
  /** Representatives with their voting weight in raw, heaviest first. */
  representatives: {
    /** How many entries at most; `-1` returns as many as the server allows. */
    count?: number | string | undefined
    /** Accepted for compatibility; the answer is always sorted. */
    sorting?: boolean | undefined
  }
  /** Representatives that voted recently. */
  representatives_online: {
    /** Include the weight of each. */
    weight?: boolean | undefined
    /** Up to 1000 accounts. */
    accounts?: Array<string> | undefined
  }
  /** The open election for a root. */
  confirmation_info: {
    /** An election root of 128 hexadecimal digits. */
    root: string
    /** Include the blocks, which is the default. */
    contents?: boolean | undefined
    /** Return blocks as objects. */
    json_block?: boolean | undefined
    /** Include who voted. */
    representatives?: boolean | undefined
  }
  /** How much voting weight confirms a block. */
  confirmation_quorum: {
    /** Include details of peers, if there are any. */
    peer_details?: boolean | undefined
    /** Include the trend of the difficulty. */
    include_trend?: boolean | undefined
    /** Values of each peer instead of one summary. */
    raw?: boolean | undefined
  }
  /** Work thresholds of the network. */
  active_difficulty: {
    /** Include details of peers, if there are any. */
    peer_details?: boolean | undefined
    /** Include the trend of the difficulty. */
    include_trend?: boolean | undefined
    /** Values of each peer instead of one summary. */
    raw?: boolean | undefined
  }
  /** Everything outside the genesis and burn accounts. */
  available_supply: {
    /** Include details of peers, if there are any. */
    peer_details?: boolean | undefined
    /** Include the trend of the difficulty. */
    include_trend?: boolean | undefined
    /** Values of each peer instead of one summary. */
    raw?: boolean | undefined
  }
  /** How many accounts the ledger has. */
  frontier_count: {
    /** Include details of peers, if there are any. */
    peer_details?: boolean | undefined
    /** Include the trend of the difficulty. */
    include_trend?: boolean | undefined
    /** Values of each peer instead of one summary. */
    raw?: boolean | undefined
  }
  /** Telemetry of the network. */
  telemetry: {
    /** Include details of peers, if there are any. */
    peer_details?: boolean | undefined
    /** Include the trend of the difficulty. */
    include_trend?: boolean | undefined
    /** Values of each peer instead of one summary. */
    raw?: boolean | undefined
  }
  /** Peers of the node behind the gateway. */
  peers: {
    /** Include details of peers, if there are any. */
    peer_details?: boolean | undefined
    /** Include the trend of the difficulty. */
    include_trend?: boolean | undefined
    /** Values of each peer instead of one summary. */
    raw?: boolean | undefined
  }
  /** Seconds since the node behind the gateway started. */
  uptime: {
    /** Include details of peers, if there are any. */
    peer_details?: boolean | undefined
    /** Include the trend of the difficulty. */
    include_trend?: boolean | undefined
    /** Values of each peer instead of one summary. */
    raw?: boolean | undefined
  }
  /** Emails a one-time sign-in link, with which you can create keys. Knowing an address is never enough to get a key. */
  rpc_key: {
    /** Where the link goes. */
    email: string
  }
  /** Credits left, and usage on each of the last 30 days. */
  rpc_credits: Record<string, never>
  /** Price of one nano in a currency, by default USD. */
  price: {
    /** Currency code, in upper or lower case. */
    currency?: string | undefined
  }
  /** Price, volume and supply of nano, from a market. */
  market_data: Record<string, never>
  /** Representatives with weight, uptime and score, heaviest first. */
  reps: Record<string, never>
  /** One representative. */
  rep_info: {
    /** A ledger account: an address or `@username`. */
    account: string
  }
  /** Notifies a webhook endpoint of what addresses receive and send, from now on. */
  watch: {
    /** Up to 1,000 addresses. */
    addresses: Array<string>
    /** The id of one of your webhook endpoints. */
    endpoint: string
  }
  /** Proof of work for the root of the next block. */
  work_generate: {
    /** A block hash of 64 hexadecimal digits. */
    hash: string
    /** A difficulty of 16 hexadecimal digits. */
    difficulty?: string | undefined
    /** A difficulty as a multiple of the base difficulty. */
    multiplier?: string | number | undefined
    /** What the block does: `send`, `receive`, `open`, `change` or `epoch`. */
    subtype?: 'send' | 'receive' | 'open' | 'change' | 'epoch' | '' | undefined
    /** A block as an object, or as JSON in a string. */
    block?: Record<string, unknown> | string | undefined
  }
  /** How strong a work value is for a root, and whether it is enough. */
  work_validate: {
    /** A block hash of 64 hexadecimal digits. */
    hash: string
    /** A work value of 16 hexadecimal digits. */
    work?: string | undefined
    /** A difficulty of 16 hexadecimal digits. */
    difficulty?: string | undefined
    /** A difficulty as a multiple of the base difficulty. */
    multiplier?: string | number | undefined
  }
  /** Cancels your own requests for the work of a root, and nobody else’s. */
  work_cancel: {
    /** A block hash of 64 hexadecimal digits. */
    hash: string
  }
  /** Wallets whose keys the service keeps: create, list, receive, balance, send, delete, update_metadata. */
  cloud_wallet: {
    /** `create_wallet`, `list_wallets`, `account_info`, `receive`, `balance`, `send`, `delete` or `update_metadata`; or the flags below. */
    wallet_action?: string | undefined
    /** A ledger account: an address or `@username`. */
    account?: string | undefined
    /** Create: start of the address after `nano_`, up to 5 characters, the first 1 or 3. */
    vanity?: string | undefined
    /** Create: where funds go at the end; a list shares them equally. */
    refund_address?: string | Array<string> | undefined
    /** Create: lifetime, 5 minutes to 10 years; 90 days by default. `true` with an `account` ends it now. */
    expire?: string | boolean | undefined
    /** Create and update: stored with the wallet. List: what the metadata must contain. */
    metadata?: Record<string, unknown> | undefined
    /** List wallets. */
    list?: boolean | undefined
    /** How many entries at most; `-1` returns as many as the server allows. */
    limit?: number | string | undefined
    /** How many entries to skip. */
    start?: number | string | undefined
    /** List: part of the address or metadata. */
    search?: string | undefined
    /** Read one wallet; the default if only `account` is given. */
    info?: boolean | undefined
    /** Receive what is receivable. */
    receive?: boolean | 'true' | 'false' | '1' | '0' | number | 'all' | undefined
    /** Read balance and receivable amount. */
    balance?: boolean | undefined
    /** A ledger account: an address or `@username`. */
    send?: string | undefined
    /** A ledger account: an address or `@username`. */
    address?: string | undefined
    /** An amount in nano, a decimal with up to 30 places, or `all`. */
    amount?: string | number | bigint | undefined
    /** End the wallet now. */
    delete?: boolean | undefined
    /** Replace the metadata. */
    update_metadata?: boolean | undefined
  }
  /** Sends nano to email addresses: fund a wallet made for it, and each recipient gets an email to claim their share. */
  nano_email: {
    /** A ledger account: an address or `@username`. */
    refund_address: string
    /** An amount in nano, a decimal with up to 30 places. */
    amount: string | number | bigint
    /** Up to 50 email addresses, each once. They share the amount equally. */
    emails: Array<string> | string
    /** Name of the sender; emails say that it is not verified. Up to 60 characters. */
    from?: string | undefined
    /** A few words, without links. Up to 280 characters. */
    message?: string | undefined
    /** Email address that is told about the funding and every claim. */
    email_receipt?: string | undefined
    /** How long shares can be claimed: 1 hour to 90 days; 30 days by default. */
    expiration?: string | undefined
  }
  /** Requests a payment: a page, a unique amount or address, and a way to know when it is paid. */
  checkout: {
    /** The account to be paid: an address or `@username`. Required without a template. */
    address?: string | undefined
    /** The price. Each digit written as `X` is chosen at random. Without a price the payer decides. */
    amount?: string | number | undefined
    /** `NANO`, or a supported code such as `USD`. */
    currency?: string | undefined
    /** What is sold, up to 120 characters. */
    title?: string | undefined
    /** More about it, up to 1000 characters. */
    description?: string | undefined
    /** An https URL of a picture. */
    image?: string | undefined
    /** Where signed events are sent: a URL of up to 2048 characters. */
    webhook_url?: string | undefined
    /** The same as `webhook_url`. */
    webhook?: string | undefined
    /** The secret that signs them. */
    webhook_secret?: string | undefined
    /** Additional kinds of events to send: payment.detected, payment.partial, payment.late, checkout.expired, refund.sent, refund.failed, refund.claimed, subscription.renewed, subscription.due, subscription.lapsed. */
    webhook_events?:
      | Array<
          | 'payment.completed'
          | 'payment.detected'
          | 'payment.partial'
          | 'payment.late'
          | 'checkout.expired'
          | 'refund.sent'
          | 'refund.failed'
          | 'refund.claimed'
          | 'subscription.renewed'
          | 'subscription.due'
          | 'subscription.lapsed'
        >
      | undefined
    /** Email address for one receipt; needs a secret key. */
    notify?: string | undefined
    /** Where the payer goes after paying. */
    success_url?: string | undefined
    /** Where the payer goes without paying. */
    cancel_url?: string | undefined
    /** An object that is returned with events: up to 4096 bytes, 50 members, 4 levels. */
    metadata?: Record<string, unknown> | undefined
    /** The id of one of your checkouts to use as a template; needs a key. */
    template?: string | undefined
    /** `unique_amount`, `unique_address` or `generated_wallet`. */
    mode?: 'unique_amount' | 'unique_address' | 'generated_wallet' | undefined
    /** `true` means the mode `unique_amount`; `false` asks for the bare price, which a secret key gets while no other order has it. */
    random?: boolean | undefined
    /** How long it is open, from 5 minutes to 30 days; the service has a default. */
    expire?: string | undefined
    /** Your own note, up to 1000 characters; payers do not see it. */
    note?: string | undefined
    /** Instead of `amount`: up to 100 of `{price, quantity?}`, which are added up. `value`, `amount` and `cost` mean `price`. */
    line_items?:
      | Array<
          | string
          | number
          | {
              price: string | number
              quantity?: string | number | undefined
            }
        >
      | undefined
    /** Added to the line items, or to the price of the template: a price, or an object with `price`, `value`, `amount` or `cost`. */
    shipping?:
      | string
      | number
      | {
          price: string | number
        }
      | undefined
    /** Prices to choose from: up to 20 of `{title, value, discount?}`. */
    plans?:
      | Array<{
          title?: string | undefined
          name?: string | undefined
          value?: string | number | undefined
          price?: string | number | undefined
          discount?: string | number | boolean | undefined
        }>
      | undefined
    /** Its invoice: up to 100 `lines` of `{title, quantity?, price}`, `tax` of `{title, amount}`, `buyer`, `seller`, `number`. Lines and taxes must add up to `amount`; needs a secret key. */
    invoice?:
      | {
          number?: string | undefined
          seller?: string | undefined
          buyer?:
            | {
                name?: string | undefined
                address?: string | undefined
                tax_id?: string | undefined
              }
            | undefined
          lines: Array<{
            title: string
            quantity?: string | number | undefined
            price: string | number
          }>
          tax?:
            | Array<{
                title: string
                amount: string | number
              }>
            | undefined
        }
      | undefined
    /** A key that may be used in a browser. */
    public_key?: string | undefined
  }
  /** Totals of the checkouts made with this key, or with keys it replaced. */
  checkout_report: {
    /** A period: `last 30 days`, `past 12 hours`, `today`, `yesterday`, `this` or `last` `week`, `month` or `year`. */
    query?: string | undefined
    /** Only checkouts with this status; `paid` means `complete`. */
    status?: string | undefined
    /** Only checkouts with this one, such as `refunded`. */
    additional_status?: string | undefined
    /** A date or unix seconds; overrides the period. */
    from?: string | number | undefined
    /** The same for the end: a date means the end of that day, a moment is not included. */
    to?: string | number | undefined
    /** Members that the metadata must have. */
    metadata_filter?: Record<string, unknown> | undefined
    /** One such member; with `metadata_value`. */
    metadata_key?: string | undefined
    /** What it must be. */
    metadata_value?: string | number | boolean | undefined
    /** How many checkouts at most, up to 1000. */
    limit?: string | number | undefined
  }
  /** Refunds a checkout, fully or in part: to the payer, to an address, or as a link. */
  checkout_refund: {
    /** The checkout. */
    id: string
    /** In nano; by default everything paid and not yet refunded. */
    amount?: string | number | undefined
    /** The same in the currency of the checkout. */
    fiat_amount?: string | number | undefined
    /** The rate for `fiat_amount`: that of the payment, or the current one. */
    rate?: 'paid' | 'now' | undefined
    /** Where it goes; by default to the payer. */
    address?: string | undefined
    /** A cloud wallet of yours that pays. By default the wallet of the checkout if it holds enough, otherwise the cloud wallet that was paid. */
    from?: string | undefined
    /** `link` creates a link with which the payer claims the refund; it is valid for 30 days. */
    as?: 'send' | 'link' | undefined
    /** For your records, up to 280 characters. */
    reason?: string | undefined
  }
  /** Creates a link that you can share: each visitor of its page gets a checkout of their own. */
  payment_link: {
    /** The account to be paid: an address or `@username`. Required without a template. */
    address?: string | undefined
    /** The price. Each digit written as `X` is chosen at random. Without a price the payer decides. */
    amount?: string | number | undefined
    /** `NANO`, or a supported code such as `USD`. */
    currency?: string | undefined
    /** What is sold, up to 120 characters. */
    title?: string | undefined
    /** More about it, up to 1000 characters. */
    description?: string | undefined
    /** An https URL of a picture. */
    image?: string | undefined
    /** Where signed events are sent: a URL of up to 2048 characters. */
    webhook_url?: string | undefined
    /** The same as `webhook_url`. */
    webhook?: string | undefined
    /** The secret that signs them. */
    webhook_secret?: string | undefined
    /** Additional kinds of events to send: payment.detected, payment.partial, payment.late, checkout.expired, refund.sent, refund.failed, refund.claimed, subscription.renewed, subscription.due, subscription.lapsed. */
    webhook_events?:
      | Array<
          | 'payment.completed'
          | 'payment.detected'
          | 'payment.partial'
          | 'payment.late'
          | 'checkout.expired'
          | 'refund.sent'
          | 'refund.failed'
          | 'refund.claimed'
          | 'subscription.renewed'
          | 'subscription.due'
          | 'subscription.lapsed'
        >
      | undefined
    /** Email address for one receipt; needs a secret key. */
    notify?: string | undefined
    /** Where the payer goes after paying. */
    success_url?: string | undefined
    /** Where the payer goes without paying. */
    cancel_url?: string | undefined
    /** An object that is returned with events: up to 4096 bytes, 50 members, 4 levels. */
    metadata?: Record<string, unknown> | undefined
    /** The id of one of your checkouts to use as a template; needs a key. */
    template?: string | undefined
    /** `unique_amount`, `unique_address` or `generated_wallet`. */
    mode?: 'unique_amount' | 'unique_address' | 'generated_wallet' | undefined
    /** `true` means the mode `unique_amount`; `false` asks for the bare price, which a secret key gets while no other order has it. */
    random?: boolean | undefined
    /** How long it is open, from 5 minutes to 30 days; the service has a default. */
    expire?: string | undefined
    /** Your own note, up to 1000 characters; payers do not see it. */
    note?: string | undefined
    /** Instead of `amount`: up to 100 of `{price, quantity?}`, which are added up. `value`, `amount` and `cost` mean `price`. */
    line_items?:
      | Array<
          | string
          | number
          | {
              price: string | number
              quantity?: string | number | undefined
            }
        >
      | undefined
    /** Added to the line items, or to the price of the template: a price, or an object with `price`, `value`, `amount` or `cost`. */
    shipping?:
      | string
      | number
      | {
          price: string | number
        }
      | undefined
    /** Prices to choose from: up to 20 of `{title, value, discount?}`. */
    plans?:
      | Array<{
          title?: string | undefined
          name?: string | undefined
          value?: string | number | undefined
          price?: string | number | undefined
          discount?: string | number | boolean | undefined
        }>
      | undefined
    /** The id of one of your links: then nothing is created, and its current state is returned. */
    id?: string | undefined
    /** The last part of its URL: 3 to 40 letters, digits and dashes. By default one is generated. */
    slug?: string | undefined
    /** How many items a visitor may buy, up to 1000; one by default. */
    quantity?:
      | {
          min?: string | number | undefined
          max?: string | number | undefined
        }
      | undefined
    /** Without a price: up to 6 amounts to choose from. */
    suggested?: Array<string | number> | undefined
    /** How many items there are. Open checkouts hold theirs until they end. */
    sold_max?: string | number | undefined
    /** When it stops taking orders. */
    ends_unix?: string | number | undefined
    /** `month`, `year`, or a number of days: payers are reminded by email to pay again. Nothing is charged automatically. */
    every?: string | number | undefined
    /** Days after the end of a period before a subscription lapses: 0 to 30. */
    grace_days?: string | number | undefined
    /** Whether each order has an invoice: `buyer` says whether the page asks for the buyer, `optional` or `required`; `tax` are amounts per item, included in its price. */
    invoice?:
      | boolean
      | 'true'
      | 'false'
      | '1'
      | '0'
      | number
      | {
          buyer?: 'optional' | 'required' | undefined
          seller?: string | undefined
          tax?:
            | Array<{
                title: string
                amount: string | number
              }>
            | undefined
        }
      | undefined
    /** Whether it is paused and takes no orders. */
    paused?: boolean | undefined
  }
  /** Sells credits to the account of the key, or to that of an email address. They are added once it is paid. */
  buy_rpc: {
    /** Whose credits they are, if no key says so. */
    email?: string | undefined
  }
  /** Offers a username: the prices to lease it or, for its owner, to extend it. */
  get_name: {
    /** A username of 1 to 30 letters and digits, with or without `@`. */
    name: string
    /** Whether each plan includes a picture of its link. */
    qrcode?: boolean | undefined
  }
  /** Changes the address or the details of a username, for a small fee, authorised by the account or the address that owns it. */
  update_name: {
    /** A username of 1 to 30 letters and digits, with or without `@`. */
    name: string
    /** Id of an offer of this action that the changes belong to. */
    id?: string | undefined
    /** Signature of the key of the owning address over `to_sign`. */
    signature?: string | undefined
    /** A ledger account: an address or `@username`. */
    address?: string | undefined
    /** Up to 99 characters, like the following fields. */
    title?: string | undefined
    /** A web address. */
    website?: string | undefined
    /** Your username there. */
    github?: string | undefined
    /** Your username there. */
    twitter?: string | undefined
    /** Your username there. */
    mastodon?: string | undefined
    /** A place. */
    location?: string | undefined
    /** A URL of a picture. */
    image?: string | undefined
    /** An object of up to 500 bytes. */
    metadata?: Record<string, unknown> | undefined
    /** Fields to remove. */
    remove?: Array<string> | string | undefined
  }
  /** Whether an address may claim from the faucet, and when. With a key it checks the account too. */
  faucet_check: {
    /** A ledger account: an address or `@username`. */
    nano_address: string
  }
  /** A little nano to try things out, once a day per account and address. */
  faucet_claim: {
    /** A ledger account: an address or `@username`. */
    nano_address: string
  }
  /** Exchanges nano for another currency or back: returns a quote with the address to pay. */
  nano_swap: {
    /** How much you send, in the currency you send. */
    amount: string | number
    /** Currency code, in upper or lower case. */
    from: string
    /** Currency code, in upper or lower case. */
    to: string
    /** Where the exchanged currency goes. */
    address: string
    /** Where the deposit is returned if the swap fails. */
    refund_address: string
  }
  /** State of a swap: waiting, confirming, exchanging, sending, finished, failed, refunded or expired. */
  nano_swap_status: {
    /** Id of the swap. */
    id: string
  }
}
