/* Made from the registry by `npm run keep-client`; changes belong there. */
/** What each action answers; amounts in raw are bigint. */
export interface Answers {
  known: Array<{
    name: string
    /** An address. */
    address: string
    created: string
    expires: string
    /** Seconds since 1970. */
    created_unix: number
    /** Seconds since 1970. */
    expires_unix: number
  }>
  aliases: Array<{
    /** An address. */
    account: string
    alias: string
  }>
  account_info: {
    /** A hash, in upper case. */
    frontier: string
    /** A hash, in upper case. */
    open_block: string
    /** A hash, in upper case. */
    representative_block: string
    /** An amount in raw. */
    balance: bigint
    /** An amount in nano. */
    balance_nano: string
    /** A whole number as text. */
    modified_timestamp: string
    /** A whole number as text. */
    block_count: string
    /** A whole number as text. */
    account_version: string
    /** A whole number as text. */
    confirmation_height: string
    /** A hash, in upper case. */
    confirmation_height_frontier: string
    /** An address. */
    representative?: string | undefined
    /** An amount in raw. */
    weight?: bigint | undefined
    /** An amount in nano. */
    weight_nano?: string | undefined
    /** An amount in raw. */
    pending?: bigint | undefined
    /** An amount in nano. */
    pending_nano?: string | undefined
    /** An amount in raw. */
    receivable?: bigint | undefined
    /** An amount in nano. */
    receivable_nano?: string | undefined
    /** An address. */
    address?: string | undefined
  }
  account_balance: {
    /** An amount in raw. */
    balance: bigint
    /** An amount in nano. */
    balance_nano: string
    /** An amount in raw. */
    pending: bigint
    /** An amount in nano. */
    pending_nano: string
    /** An amount in raw. */
    receivable: bigint
    /** An amount in nano. */
    receivable_nano: string
    /** An address. */
    address?: string | undefined
  }
  accounts_balances: {
    balances: Record<
      string,
      {
        /** An amount in raw. */
        balance: bigint
        /** An amount in nano. */
        balance_nano: string
        /** An amount in raw. */
        pending: bigint
        /** An amount in nano. */
        pending_nano: string
        /** An amount in raw. */
        receivable: bigint
        /** An amount in nano. */
        receivable_nano: string
        /** An address. */
        address?: string | undefined
      }
    >
    errors?: Record<string, string> | undefined
  }
  account_history: {
    /** An address. */
    account: string
    history:
      | Array<{
          type: string
          /** An address. */
          account?: string | undefined
          /** An amount in raw. */
          amount?: bigint | undefined
          /** An amount in nano. */
          amount_nano?: string | undefined
          /** A whole number as text. */
          local_timestamp: string
          /** A whole number as text. */
          height: string
          /** A hash, in upper case. */
          hash: string
          confirmed: 'true' | 'false'
          username?: string | undefined
        }>
      | ''
    /** A hash, in upper case. */
    previous?: string | undefined
    /** A hash, in upper case. */
    next?: string | undefined
  }
  receivable:
    | Array<{
        /** A hash, in upper case. */
        hash: string
        /** An amount in raw. */
        amount: bigint
        /** An amount in nano. */
        amount_nano: string
        /** An address. */
        source: string
        username?: string | undefined
      }>
    | {
        blocks:
          | Array<string>
          | Record<
              string,
              | bigint
              | {
                  /** An amount in raw. */
                  amount: bigint
                  /** An amount in nano. */
                  amount_nano: string
                  /** An address. */
                  source: string
                  username?: string | undefined
                }
              | Record<string, unknown>
            >
          | ''
      }
  accounts_receivable: {
    blocks:
      | Record<
          string,
          Record<
            string,
            {
              /** An amount in raw. */
              amount: bigint
              /** An amount in nano. */
              amount_nano: string
              /** An address. */
              source: string
              username?: string | undefined
            }
          >
        >
      | ''
    errors?: Record<string, string> | undefined
  }
  accounts_pending: {
    blocks:
      | Record<
          string,
          | Array<string>
          | Record<
              string,
              | bigint
              | {
                  /** An amount in raw. */
                  amount: bigint
                  /** An amount in nano. */
                  amount_nano: string
                  /** An address. */
                  source: string
                  username?: string | undefined
                }
            >
        >
      | ''
    errors?: Record<string, string> | undefined
  }
  receivable_exists: {
    exists: '0' | '1'
  }
  block_info: {
    /** An address. */
    block_account: string
    /** An amount in raw. */
    amount?: bigint | undefined
    /** An amount in nano. */
    amount_nano?: string | undefined
    /** An amount in raw. */
    balance: bigint
    /** An amount in nano. */
    balance_nano: string
    /** A whole number as text. */
    height: string
    /** A whole number as text. */
    local_timestamp: string
    /** A hash, in upper case. */
    successor: string
    confirmed: 'true' | 'false'
    subtype?: string | undefined
    contents:
      | {
          type: 'state'
          /** An address. */
          account: string
          /** A hash, in upper case. */
          previous: string
          /** An address. */
          representative: string
          /** An amount in raw. */
          balance: bigint
          /** An amount in nano. */
          balance_nano: string
          /** A hash, in upper case. */
          link: string
          /** An address. */
          link_as_account: string
          signature: string
          /** A work value or difficulty. */
          work: string
        }
      | {
          type: 'send' | 'receive' | 'open' | 'change'
        }
      | string
  }
  blocks_info: {
    blocks:
      | Record<
          string,
          {
            /** An address. */
            block_account: string
            /** An amount in raw. */
            amount?: bigint | undefined
            /** An amount in nano. */
            amount_nano?: string | undefined
            /** An amount in raw. */
            balance: bigint
            /** An amount in nano. */
            balance_nano: string
            /** A whole number as text. */
            height: string
            /** A whole number as text. */
            local_timestamp: string
            /** A hash, in upper case. */
            successor: string
            confirmed: 'true' | 'false'
            subtype?: string | undefined
            contents:
              | {
                  type: 'state'
                  /** An address. */
                  account: string
                  /** A hash, in upper case. */
                  previous: string
                  /** An address. */
                  representative: string
                  /** An amount in raw. */
                  balance: bigint
                  /** An amount in nano. */
                  balance_nano: string
                  /** A hash, in upper case. */
                  link: string
                  /** An address. */
                  link_as_account: string
                  signature: string
                  /** A work value or difficulty. */
                  work: string
                }
              | {
                  type: 'send' | 'receive' | 'open' | 'change'
                }
              | string
            /** A hash, in upper case. */
            receive_hash?: string | undefined
            source_account?: string | undefined
          }
        >
      | ''
    blocks_not_found?: Array<string> | '' | undefined
  }
  find_block: {
    block: {
      type: string
      /** An address. */
      account: string
      /** An amount in nano. */
      amount: string
      /** An amount in nano. */
      amount_nano: string
      /** An amount in raw. */
      amount_raw: bigint
      /** A whole number as text. */
      local_timestamp: string
      /** A whole number as text. */
      height: string
      /** A hash, in upper case. */
      hash: string
      confirmed: 'true' | 'false'
      username: string
    }
  }
  process: {
    /** A hash, in upper case. */
    hash: string
  }
  version: {
    /** A whole number as text. */
    rpc_version: string
    /** A whole number as text. */
    store_version: string
    /** A whole number as text. */
    protocol_version: string
    node_vendor: string
    store_vendor: string
    network: string
  }
  block_count: {
    /** A whole number as text. */
    count: string
    /** A whole number as text. */
    unchecked: string
    /** A whole number as text. */
    cemented: string
    /** A whole number as text. */
    block_count: string
    /** A whole number as text. */
    unchecked_count: string
    /** A whole number as text. */
    cemented_count: string
  }
  accounts_frontiers: {
    frontiers: Record<string, string> | ''
    errors?: Record<string, string> | undefined
  }
  accounts_representatives: {
    representatives: Record<string, string> | ''
    errors?: Record<string, string> | undefined
  }
  account_representative: {
    /** An address. */
    representative: string
  }
  account_weight: {
    /** An amount in raw. */
    weight: bigint
    /** An amount in nano. */
    weight_nano: string
  }
  account_block_count: {
    /** A whole number as text. */
    block_count: string
  }
  account_key: {
    /** A public key. */
    key: string
  }
  account_get: {
    /** An address. */
    account: string
  }
  validate_account_number: {
    deprecated_account_format?: '0' | '1' | undefined
    valid: '0' | '1'
  }
  nano_to_raw: {
    /** An amount in raw. */
    raw: bigint
    /** An amount in raw. */
    amount: bigint
  }
  raw_to_nano: {
    /** An amount in nano. */
    nano: string
    /** An amount in nano. */
    amount: string
  }
  blocks: {
    blocks:
      | Record<
          string,
          | {
              type: 'state'
              /** An address. */
              account: string
              /** A hash, in upper case. */
              previous: string
              /** An address. */
              representative: string
              /** An amount in raw. */
              balance: bigint
              /** An amount in nano. */
              balance_nano: string
              /** A hash, in upper case. */
              link: string
              /** An address. */
              link_as_account: string
              signature: string
              /** A work value or difficulty. */
              work: string
            }
          | {
              type: 'send' | 'receive' | 'open' | 'change'
            }
          | string
        >
      | ''
    blocks_not_found?: Array<string> | '' | undefined
  }
  block_account: {
    /** An address. */
    account: string
  }
  block_confirm: {
    started: '0' | '1'
  }
  block_hash: {
    /** A hash, in upper case. */
    hash: string
  }
  chain: {
    blocks: Array<string> | ''
  }
  successors: {
    blocks: Array<string> | ''
  }
  delegators: {
    delegators: Record<string, bigint> | ''
  }
  delegators_count: {
    /** A whole number as text. */
    count: string
  }
  representatives: {
    representatives: Record<string, bigint> | ''
  }
  representatives_online: {
    representatives:
      | Array<string>
      | Record<
          string,
          {
            /** An amount in raw. */
            weight: bigint
            /** An amount in nano. */
            weight_nano: string
          }
        >
      | ''
  }
  confirmation_info: {
    /** A whole number as text. */
    announcements: string
    /** A whole number as text. */
    voters: string
    /** A hash, in upper case. */
    last_winner: string
    /** An amount in raw. */
    total_tally: bigint
    /** An amount in nano. */
    total_tally_nano: string
    /** An amount in raw. */
    final_tally: bigint
    /** An amount in nano. */
    final_tally_nano: string
    blocks: Record<
      string,
      {
        /** An amount in raw. */
        tally: bigint
        /** An amount in nano. */
        tally_nano: string
      }
    >
  }
  confirmation_quorum: {
    /** An amount in raw. */
    quorum_delta: bigint
    /** An amount in nano. */
    quorum_delta_nano: string
  }
  active_difficulty: {
    /** A work value or difficulty. */
    network_minimum: string
    /** A work value or difficulty. */
    network_receive_minimum: string
    /** A number as text. */
    multiplier: string
  }
  available_supply: {
    /** An amount in raw. */
    available: bigint
    /** An amount in nano. */
    available_nano: string
  }
  frontier_count: {
    /** A whole number as text. */
    count: string
  }
  telemetry: {
    /** A whole number as text. */
    block_count?: string | undefined
    /** A whole number as text. */
    cemented_count?: string | undefined
    metrics?: Array<Record<string, unknown>> | '' | undefined
  }
  peers: {
    peers: Record<string, unknown> | Array<string> | ''
  }
  uptime: {
    /** A whole number as text. */
    seconds: string
  }
  rpc_key: {
    success: boolean
    message: string
  }
  rpc_credits: {
    credits: number
    plan: 'free' | 'prepaid'
    usage: Record<string, Record<string, number>>
  }
  price: {
    symbol: string
    currency: string
    price: number
    timestamp: string
    /** Seconds since 1970. */
    timestamp_unix: number
    source: string
  }
  market_data: {
    source: string
    id: string
    symbol: string
    name: string
    hashing_algorithm: string | null
    categories: Array<string>
    public_notice: string | null
    links: Record<string, unknown>
    image: {
      thumb: string
      small: string
      large: string
    }
    sentiment_votes_up_percentage: number | null
    sentiment_votes_down_percentage: number | null
    market_cap_rank: number | null
    market_data: Record<string, unknown>
    public_interest_stats: Record<string, unknown>
    status_updates: Array<Record<string, unknown>>
    last_updated: string | null
  }
  reps: Array<{
    /** An address. */
    rep_address: string
    /** An address. */
    account: string
    donation_address: string | null
    weight: number
    weight_nano: number
    /** An amount in raw. */
    weight_raw: bigint
    uptime: string
    synced: number
    website: string | null
    location: string | null
    alias: string
    username: string
    score: number
    version: string
    protocol: number
    database: string
  }>
  rep_info: {
    /** An address. */
    rep_address: string
    /** An address. */
    account: string
    donation_address: string | null
    weight: number
    weight_nano: number
    /** An amount in raw. */
    weight_raw: bigint
    uptime: string
    synced: number
    website: string | null
    location: string | null
    alias: string
    username: string
    score: number
    version: string
    protocol: number
    database: string
  }
  watch: {
    endpoint: string
    added: number
    watched: number
    total: number
    cursor: string
  }
  work_generate: {
    /** A hash, in upper case. */
    hash: string
    /** A work value or difficulty. */
    work: string
    /** A work value or difficulty. */
    difficulty: string
    /** A number as text. */
    multiplier: string
    /** A hash, in upper case. */
    frontier: string
    /** Seconds. */
    duration: string
    credits: number
    cached: boolean
  }
  work_validate: {
    valid?: '0' | '1' | undefined
    valid_all: '0' | '1'
    valid_receive: '0' | '1'
    /** A work value or difficulty. */
    difficulty: string
    /** A number as text. */
    multiplier: string
  }
  work_cancel: {
    success: ''
  }
  cloud_wallet:
    | {
        /** An address. */
        address: string
        balance: number | bigint
        refund_address: string | Array<string>
        expiration?: string | undefined
        /** Seconds since 1970. */
        expiration_unix?: number | undefined
        metadata?: Record<string, unknown> | undefined
        /** A picture. */
        qrcode?: string | undefined
      }
    | Array<
        | {
            /** An address. */
            address: string
            balance: number | bigint
            refund_address: string | Array<string>
            expiration?: string | undefined
            /** Seconds since 1970. */
            expiration_unix?: number | undefined
            metadata?: Record<string, unknown> | undefined
            /** A picture. */
            qrcode?: string | undefined
          }
        | {
            /** A hash, in upper case. */
            hash: string
            /** An amount in raw. */
            amount: bigint
            /** An amount in nano. */
            amount_nano: string
            /** An address. */
            source: string
            username?: string | undefined
          }
      >
    | {
        /** An amount in raw. */
        balance: bigint
        /** An amount in nano. */
        balance_nano: string
        /** An amount in raw. */
        pending: bigint
        /** An amount in nano. */
        pending_nano: string
        /** An amount in raw. */
        receivable: bigint
        /** An amount in nano. */
        receivable_nano: string
        /** An address. */
        address: string
        expiration?: string | undefined
        /** Seconds since 1970. */
        expiration_unix?: number | undefined
      }
    | {
        /** A hash, in upper case. */
        hash: string
      }
    | {
        deleted: boolean
      }
  nano_email: {
    id: string
    /** An address. */
    address: string
    /** A link. */
    browser: string
    /** A link. */
    check: string
    subtotal: number
    service_fee: number
    amount: number
    /** An amount in raw. */
    amount_raw: bigint
    special_message: string
    /** A link that opens in wallets. */
    link: string
    /** A picture. */
    qrcode: string
    emails: Array<{
      email: string
      amount: number
      /** An amount in raw. */
      amount_raw: bigint
    }>
    /** An address. */
    refund_address: string
    status: 'waiting'
    expiration: string
    /** Seconds since 1970. */
    expires_unix: number
    created_at: number
  }
  checkout: {
    id: string
    /** A link. */
    browser: string
    /** A link. */
    check: string
    /** A link. */
    json: string
    /** An address. */
    address: string
    /** An amount in nano. */
    amount?: string | undefined
    /** An amount in raw. */
    amount_raw?: bigint | undefined
    currency?: string | undefined
    fiat_amount?: string | undefined
    note?: string | undefined
    rate?: string | undefined
    rate_source?: string | undefined
    plans?:
      | Array<{
          title: string
          value: string
          /** An amount in raw. */
          value_raw?: bigint | undefined
          fiat_amount?: string | undefined
          discount: number | boolean
          /** A link that opens in wallets. */
          link?: string | undefined
          /** A picture. */
          qrcode: string
        }>
      | undefined
    /** A link that opens in wallets. */
    link?: string | undefined
    /** A picture. */
    qrcode: string
    mode: 'unique_amount' | 'unique_address' | 'generated_wallet'
    status: 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled'
    /** Seconds since 1970. */
    expires_unix: number
    webhook_secret?: string | undefined
    /** A link. */
    invoice_url?: string | undefined
  }
  checkout_report: {
    period: {
      query: string | null
      from: string | null
      to: string | null
    }
    summary: {
      total: number
      by_status: Record<string, number>
      by_additional_status?:
        | {
            refunded: number
            partly_refunded: number
          }
        | undefined
    }
    revenue: Record<
      string,
      {
        count: number
        amount: string
        /** An amount in raw. */
        amount_raw: bigint
        gross: string
        refunded: string
        /** An amount in raw. */
        refunded_raw: bigint
        net: string
        /** An amount in raw. */
        net_raw: bigint
      }
    >
    excluded: number
    checkouts: Array<{
      id: string
      account: string | null
      status: 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled' | 'refunded'
      additional_status: 'none' | 'overpaid' | 'paid_late' | 'marked' | 'refunded' | 'partly_refunded'
      mode: 'unique_amount' | 'unique_address' | 'generated_wallet'
      made_with?: 'public_key' | undefined
      key_id?: string | undefined
      key_bound?: boolean | undefined
      /** An address. */
      address: string
      /** An address. */
      merchant_address?: string | undefined
      currency: string
      price: string | null
      fiat_amount?: string | null | undefined
      amount: string | null
      amount_raw: bigint | null
      /** An amount in nano. */
      amount_paid: string
      /** An amount in raw. */
      amount_paid_raw: bigint
      /** An amount in nano. */
      amount_excess?: string | undefined
      /** An amount in raw. */
      amount_excess_raw?: bigint | undefined
      plans: Array<{
        title: string
        value: string
        discount: number | boolean
        value_raw: bigint | null
      }>
      plan?:
        | {
            title: string
            value: string
            /** An amount in raw. */
            value_raw?: bigint | undefined
            discount: number | boolean
          }
        | undefined
      title: string | null
      description: string | null
      image: string | null
      success_url: string | null
      cancel_url: string | null
      webhook_url: string | null
      webhook_events: Array<string>
      webhook_secret_set: boolean
      notify: string | null
      metadata: Record<string, unknown>
      note: string | null
      block_hash: string | null
      payer: string | null
      hidden: boolean
      /** Seconds since 1970. */
      created_unix: number
      /** Seconds since 1970. */
      expires_unix: number
      paid_unix: number | null
      /** A link. */
      browser: string
      /** A link. */
      check: string
      /** A link. */
      json: string
      /** An amount in nano. */
      amount_refunded?: string | undefined
      /** An amount in raw. */
      amount_refunded_raw?: bigint | undefined
      refunds?:
        | Array<{
            id: string
            checkout_id: string
            status: 'created' | 'sending' | 'sent' | 'waiting_for_claim' | 'failed' | 'claimed'
            as: 'send' | 'link'
            /** An amount in nano. */
            amount: string
            /** An amount in raw. */
            amount_raw: bigint
            currency?: string | undefined
            fiat_amount?: string | undefined
            rate?: string | null | undefined
            rate_source?: string | null | undefined
            address: string | null
            /** An address. */
            from: string
            hash: string | null
            block_url?: string | undefined
            /** A link. */
            claim_url?: string | undefined
            reason: string | null
            failure: string | null
            /** Seconds since 1970. */
            created_unix: number
            sent_unix: number | null
            ended_unix: number | null
          }>
        | undefined
      /** A link. */
      invoice_url?: string | undefined
      invoice?:
        | {
            number: string | null
            seller: string | null
            buyer: {
              name: string | null
              address: string | null
              tax_id: string | null
            } | null
            lines: Array<{
              title: string
              quantity: string
              price: string
            }>
            tax: Array<{
              title: string
              amount: string
            }>
          }
        | undefined
      order?: Record<string, unknown> | undefined
      error?: string | undefined
      refund?:
        | {
            hash: string | null
            /** An amount in nano. */
            amount: string
            /** An amount in raw. */
            amount_raw: bigint
            address: string | null
          }
        | undefined
    }>
    limit: number
    has_more: boolean
  }
  checkout_refund: {
    id: string
    checkout_id: string
    status: 'created' | 'sending' | 'sent' | 'waiting_for_claim' | 'failed' | 'claimed'
    as: 'send' | 'link'
    /** An amount in nano. */
    amount: string
    /** An amount in raw. */
    amount_raw: bigint
    currency?: string | undefined
    fiat_amount?: string | undefined
    rate?: string | null | undefined
    rate_source?: string | null | undefined
    address: string | null
    /** An address. */
    from: string
    hash: string | null
    block_url?: string | undefined
    /** A link. */
    claim_url?: string | undefined
    reason: string | null
    failure: string | null
    /** Seconds since 1970. */
    created_unix: number
    sent_unix: number | null
    ended_unix: number | null
  }
  payment_link: {
    id: string
    slug: string
    /** A link. */
    url: string
    status: 'active' | 'paused' | 'sold_out' | 'ended'
    sold: number
    held: number
    left: number | null
    orders: number
    /** An amount in nano. */
    revenue: string
    /** An amount in raw. */
    revenue_raw: bigint
    revenue_fiat: string | null
    /** An amount in nano. */
    refunded: string
    /** An amount in raw. */
    refunded_raw: bigint
    refunded_fiat: string | null
    /** An amount in nano. */
    net: string
    /** An amount in raw. */
    net_raw: bigint
    net_fiat: string | null
    paused: boolean
    /** An address. */
    address: string
    currency: string
    mode: 'unique_amount' | 'generated_wallet'
    amount: string | null
    plans: Array<{
      title: string
      value: string
      discount: number | boolean
    }>
    title?: string | undefined
    description?: string | undefined
    image?: string | undefined
    success_url?: string | undefined
    cancel_url?: string | undefined
    webhook_url?: string | undefined
    notify?: string | undefined
    note?: string | undefined
    expire?: string | undefined
    metadata: Record<string, unknown>
    webhook_events: Array<string>
    webhook_secret_set: boolean
    quantity: {
      min: number
      max: number
    }
    suggested: Array<string>
    sold_max: number | null
    ends_unix: number | null
    every: string | null
    grace_days: number
    invoice: {
      buyer: 'optional' | 'required'
      seller: string | null
      tax: Array<{
        title: string
        amount: string
      }>
    } | null
    /** Seconds since 1970. */
    created_unix: number
    /** Seconds since 1970. */
    updated_unix: number
  }
  buy_rpc: {
    /** Id of the checkout. */
    id: string
    /** An address. */
    address: string
    /** A link. */
    browser: string
    /** A link. */
    check: string
    /** A link. */
    json: string
    /** Seconds since 1970. */
    expires_unix: number
    plans: Array<{
      title: string
      /** An amount in nano. */
      value: string
      /** An amount in raw. */
      value_raw: bigint
      /** A link that opens in wallets. */
      link: string
      /** A picture. */
      qrcode?: string | undefined
    }>
    available: boolean
    status: 'available'
    lease: null
  }
  get_name:
    | {
        name: string
        username: string
        available: boolean
        lease: {
          name: string
          /** An address. */
          address: string
          created: string
          expires: string
          /** Seconds since 1970. */
          created_unix: number
          /** Seconds since 1970. */
          expires_unix: number
          /** An address. */
          owner: string
          /** Seconds since 1970. */
          grace_until_unix: number
        } | null
        /** Id of the checkout. */
        id: string
        /** An address. */
        address: string
        /** A link. */
        browser: string
        /** A link. */
        check: string
        /** A link. */
        json: string
        /** Seconds since 1970. */
        expires_unix: number
        status: 'available' | 'leased' | 'grace'
        plans: Array<{
          title: string
          /** An amount in nano. */
          value: string
          /** An amount in raw. */
          value_raw: bigint
          /** A link that opens in wallets. */
          link: string
          /** A picture. */
          qrcode?: string | undefined
        }>
      }
    | {
        name: string
        username: string
        available: boolean
        lease: {
          name: string
          /** An address. */
          address: string
          created: string
          expires: string
          /** Seconds since 1970. */
          created_unix: number
          /** Seconds since 1970. */
          expires_unix: number
          /** An address. */
          owner: string
          /** Seconds since 1970. */
          grace_until_unix: number
        } | null
        status: 'reserved'
        message: string
      }
  update_name: {
    /** Id of the checkout. */
    id: string
    /** An address. */
    address: string
    /** A link. */
    browser: string
    /** A link. */
    check: string
    /** A link. */
    json: string
    /** Seconds since 1970. */
    expires_unix: number
    update_name: string
    /** An amount in nano. */
    amount: string
    /** An amount in raw. */
    amount_raw: bigint
    /** A link that opens in wallets. */
    link: string
    authorized: boolean
    changes?: Record<string, unknown> | undefined
    to_sign?: string | undefined
  }
  faucet_check: {
    eligible: boolean
    /** An amount in nano. */
    amount: string
    /** An amount in raw. */
    amount_raw: bigint
    /** Seconds since 1970. */
    next_claim_unix: number
    reason?: string | undefined
  }
  faucet_claim: {
    success: boolean
    message: string
    claim: {
      id: string
      /** An address. */
      nano_address: string
      /** An amount in nano. */
      amount: string
      /** An amount in raw. */
      amount_raw: bigint
      status: 'sent'
      /** A hash, in upper case. */
      tx_hash: string
      created_at: number
    }
  }
  nano_swap: {
    id: string
    send: number
    receive: string
    swap_address: string
    refund_address: string
    status: 'waiting' | 'confirming' | 'exchanging' | 'sending' | 'finished' | 'failed' | 'refunded' | 'expired'
    source: string
    /** Seconds since 1970. */
    expires_unix: number
  }
  nano_swap_status: {
    id: string
    send: number
    receive: string
    swap_address: string
    refund_address: string
    status: 'waiting' | 'confirming' | 'exchanging' | 'sending' | 'finished' | 'failed' | 'refunded' | 'expired'
    source: string
    /** Seconds since 1970. */
    expires_unix: number
  }
}

/** How a checkout stands. */
export type Check = {
  id: string
  status: 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled' | 'refunded'
  additional_status: 'none' | 'overpaid' | 'paid_late' | 'marked' | 'refunded' | 'partly_refunded'
  success: boolean
  /** An address. */
  address: string
  amount: string | null
  amount_raw: bigint | null
  /** An amount in nano. */
  amount_paid: string
  /** An amount in raw. */
  amount_paid_raw: bigint
  /** An amount in nano. */
  amount_excess?: string | undefined
  /** An amount in raw. */
  amount_excess_raw?: bigint | undefined
  /** An amount in raw. */
  amount_due_raw: bigint
  /** Seconds since 1970. */
  expires_unix: number
  /** A link. */
  json: string
  /** A link. */
  browser: string
  message?: string | undefined
  block?:
    | {
        /** A hash, in upper case. */
        hash: string
        /** An address. */
        account: string
        /** An amount in nano. */
        amount: string
        /** An amount in raw. */
        amount_raw: bigint
      }
    | undefined
  plan?:
    | {
        title: string
        value: string
        /** An amount in raw. */
        value_raw?: bigint | undefined
        discount: number | boolean
      }
    | undefined
  detected_block?:
    | {
        /** A hash, in upper case. */
        hash: string
        /** An address. */
        account: string
        /** An amount in nano. */
        amount: string
        /** An amount in raw. */
        amount_raw: bigint
      }
    | undefined
  expired?: boolean | undefined
  /** An amount in nano. */
  amount_refunded?: string | undefined
  /** An amount in raw. */
  amount_refunded_raw?: bigint | undefined
  refunds?:
    | Array<{
        status: 'created' | 'sending' | 'sent' | 'waiting_for_claim' | 'failed' | 'claimed'
        /** An amount in nano. */
        amount: string
        /** An amount in raw. */
        amount_raw: bigint
        address: string | null
        hash: string | null
        /** Seconds since 1970. */
        at_unix: number
      }>
    | undefined
  order?: Record<string, unknown> | undefined
  error?: string | undefined
  refund?:
    | {
        hash: string | null
        /** An amount in nano. */
        amount: string
        /** An amount in raw. */
        amount_raw: bigint
        address: string | null
      }
    | undefined
}

/** A checkout as its merchant sees it. */
export type OwnCheckout = {
  id: string
  account: string | null
  status: 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled' | 'refunded'
  additional_status: 'none' | 'overpaid' | 'paid_late' | 'marked' | 'refunded' | 'partly_refunded'
  mode: 'unique_amount' | 'unique_address' | 'generated_wallet'
  made_with?: 'public_key' | undefined
  key_id?: string | undefined
  key_bound?: boolean | undefined
  /** An address. */
  address: string
  /** An address. */
  merchant_address?: string | undefined
  currency: string
  price: string | null
  fiat_amount?: string | null | undefined
  amount: string | null
  amount_raw: bigint | null
  /** An amount in nano. */
  amount_paid: string
  /** An amount in raw. */
  amount_paid_raw: bigint
  /** An amount in nano. */
  amount_excess?: string | undefined
  /** An amount in raw. */
  amount_excess_raw?: bigint | undefined
  plans: Array<{
    title: string
    value: string
    discount: number | boolean
    value_raw: bigint | null
  }>
  plan?:
    | {
        title: string
        value: string
        /** An amount in raw. */
        value_raw?: bigint | undefined
        discount: number | boolean
      }
    | undefined
  title: string | null
  description: string | null
  image: string | null
  success_url: string | null
  cancel_url: string | null
  webhook_url: string | null
  webhook_events: Array<string>
  webhook_secret_set: boolean
  notify: string | null
  metadata: Record<string, unknown>
  note: string | null
  block_hash: string | null
  payer: string | null
  hidden: boolean
  /** Seconds since 1970. */
  created_unix: number
  /** Seconds since 1970. */
  expires_unix: number
  paid_unix: number | null
  /** A link. */
  browser: string
  /** A link. */
  check: string
  /** A link. */
  json: string
  /** An amount in nano. */
  amount_refunded?: string | undefined
  /** An amount in raw. */
  amount_refunded_raw?: bigint | undefined
  refunds?:
    | Array<{
        id: string
        checkout_id: string
        status: 'created' | 'sending' | 'sent' | 'waiting_for_claim' | 'failed' | 'claimed'
        as: 'send' | 'link'
        /** An amount in nano. */
        amount: string
        /** An amount in raw. */
        amount_raw: bigint
        currency?: string | undefined
        fiat_amount?: string | undefined
        rate?: string | null | undefined
        rate_source?: string | null | undefined
        address: string | null
        /** An address. */
        from: string
        hash: string | null
        block_url?: string | undefined
        /** A link. */
        claim_url?: string | undefined
        reason: string | null
        failure: string | null
        /** Seconds since 1970. */
        created_unix: number
        sent_unix: number | null
        ended_unix: number | null
      }>
    | undefined
  /** A link. */
  invoice_url?: string | undefined
  invoice?:
    | {
        number: string | null
        seller: string | null
        buyer: {
          name: string | null
          address: string | null
          tax_id: string | null
        } | null
        lines: Array<{
          title: string
          quantity: string
          price: string
        }>
        tax: Array<{
          title: string
          amount: string
        }>
      }
    | undefined
  order?: Record<string, unknown> | undefined
  error?: string | undefined
  refund?:
    | {
        hash: string | null
        /** An amount in nano. */
        amount: string
        /** An amount in raw. */
        amount_raw: bigint
        address: string | null
      }
    | undefined
}

/** What a webhook brings, as it is in its body. */
export type WebhookEvent = {
  id: string
  type:
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
  /** Seconds since 1970. */
  created_unix: number
  checkout_id: string
  /** A link. */
  checkout: string
  status: 'pending' | 'detected' | 'partial' | 'complete' | 'expired' | 'cancelled' | 'refunded'
  made_with?: 'public_key' | undefined
  key_id?: string | undefined
  key_bound?: boolean | undefined
  /** An address. */
  address: string
  payment: {
    /** An address. */
    address: string
    /** An amount in nano. */
    amount: string
    /** An amount in raw. */
    amount_raw: string
  }
  block?:
    | {
        /** A hash, in upper case. */
        hash: string
        /** An address. */
        account: string
        /** An amount in nano. */
        amount: string
        /** An amount in raw. */
        amount_raw: string
        confirmed: 'true' | 'false'
      }
    | undefined
  refund?:
    | {
        id: string
        status: 'created' | 'sending' | 'sent' | 'waiting_for_claim' | 'failed' | 'claimed'
        as: 'send' | 'link'
        /** An amount in nano. */
        amount: string
        /** An amount in raw. */
        amount_raw: string
        currency?: string | undefined
        fiat_amount?: string | undefined
        address: string | null
        /** An address. */
        from: string
        hash: string | null
        reason: string | null
        failure: string | null
      }
    | undefined
  subscription?:
    | {
        id: string
        payment_link: string
        status: 'active' | 'due' | 'lapsed' | 'ended'
        every: string
        plan: string | null
        email: string | null
        periods: number
        paid_until_unix: number | null
      }
    | undefined
  currency?: string | undefined
  fiat_amount?: string | null | undefined
  rate?: string | null | undefined
  rate_source?: string | null | undefined
  plan: {
    title: string
    /** An amount in nano. */
    value: string
    discount: number | boolean
    /** An amount in raw. */
    value_raw: string
  }
  metadata: Record<string, unknown>
}
