import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { Bulk } from '../../test/support/bulk.ts'

/*
 * The rows that a service leaves behind in two years, all of them finished. There are a thousand merchants; the first owns 30 % of the rows, and so do one
 * of its wallets and one of its links. The engine generates the rows itself from a series of numbers, n.
 */

const OWNER = `case when n % 10 < 3 then 'acc_merchant_0' else 'acc_merchant_' || (n % 1000) end`
const WALLET = `case when n % 10 < 3 then 'wal_old_0' else 'wal_old_' || (n % 500) end`
const ADDRESS = `'nano_old_' || (n % 1000)`
const RAW = `'10000000000000000000000000000000'`

/** Table → its share of a thousand rows, and its columns. `TIME` stands for the row's time, `hex(…)` for a number in hexadecimal digits. */
const OLD: Readonly<Record<string, readonly [share: number, columns: Readonly<Record<string, string>>]>> = {
  audit_entries: [
    85,
    { id: `'aud_old_' || n`, at: 'TIME', actor: OWNER, account_id: OWNER, what: `'key.created'`, detail: `'{}'` },
  ],
  credit_entries: [
    50,
    {
      id: `'ent_old_' || n`,
      account_id: OWNER,
      amount: '-1',
      reason: `'work'`,
      reference: `'old:' || n`,
      created_at: 'TIME',
    },
  ],
  credit_reservations: [
    35,
    {
      id: `'res_old_' || n`,
      account_id: OWNER,
      amount: '1',
      status: `'committed'`,
      created_at: 'TIME',
      expires_at: 'TIME',
    },
  ],
  usage_days: [25, { account_id: OWNER, day: `'2024-' || n`, action: `'account_info'`, count: '7' }],
  free_uses: [20, { caller: `'ip:' || n`, meter: `'work'`, ends_at: 'TIME', taken: '1' }],
  idempotency: [
    50,
    {
      account_id: OWNER,
      action: `'checkout'`,
      key: `'old ' || n`,
      fingerprint: `'f'`,
      status: `'finished'`,
      answer: `'{}'`,
      created_at: 'TIME',
      expires_at: 'TIME',
    },
  ],
  account_requests: [
    110,
    {
      id: `'rlg_old_' || n`,
      account_id: OWNER,
      at: 'TIME',
      request_id: `'req_' || n`,
      action: `'account_balance'`,
      status: '200',
      microseconds: '900',
      key_id: `'key_merchant_0'`,
      stands_for: '1',
    },
  ],
  key_spends: [20, { limit_id: OWNER, reference: `'old ' || n`, day: `'2024-01-01'`, amount_raw: `'1'` }],
  jobs: [
    110,
    {
      id: `'job_old_' || n`,
      kind: `'webhooks.deliver'`,
      payload: `'{}'`,
      status: `'done'`,
      run_at: 'TIME',
      attempts: '1',
      attempts_max: '5',
      fence: '1',
      created_at: 'TIME',
      finished_at: 'TIME',
    },
  ],
  mails: [
    30,
    {
      id: `'mail_old_' || n`,
      recipient: `'a@example.com'`,
      subject: `'Paid'`,
      text: `'You were paid.'`,
      status: `'sent'`,
      created_at: 'TIME',
      sent_at: 'TIME',
    },
  ],
  checkouts: [
    50,
    {
      id: `'c' || hex(15)`,
      owner: OWNER,
      key_id: `'key of ' || ${OWNER}`,
      mode: `'unique_amount'`,
      status: `case when n % 10 < 7 then 'complete' else 'expired' end`,
      additional_status: `'none'`,
      address: ADDRESS,
      merchant_address: ADDRESS,
      currency: `'NANO'`,
      price: `'10'`,
      amount_raw: `cast(${RAW} as RAW)`,
      paid_raw: `cast(case when n % 10 < 7 then ${RAW} else '0' end as RAW)`,
      plans: `'[]'`,
      title: `'Order ' || n`,
      webhook_events: `'[]'`,
      metadata: `'{}'`,
      seq: '2',
      created_at: 'TIME',
      expires_at: 'TIME + 86400000',
      watched_until: 'TIME + 691200000',
      paid_at: `case when n % 10 < 7 then TIME + 60000 end`,
      block_hash: `case when n % 10 < 7 then hex(64) end`,
      payer: `'nano_payer_' || (n % 1000)`,
    },
  ],
  checkout_timeline: [
    90,
    {
      checkout_id: `'c' || hex(15)`,
      seq: '1',
      status: `'pending'`,
      additional_status: `'none'`,
      reason: `'created'`,
      at: 'TIME',
    },
  ],
  checkout_payments: [
    40,
    {
      owner: OWNER,
      block_hash: 'hex(64)',
      checkout_id: `'c' || hex(15)`,
      kind: `'counted'`,
      address: ADDRESS,
      payer: `'nano_payer'`,
      amount_raw: `cast(${RAW} as RAW)`,
      at: 'TIME',
      created_at: 'TIME',
    },
  ],
  link_orders: [
    10,
    { checkout_id: `'c' || hex(15)`, link_id: `'pln_0'`, visitor: `'v' || n`, quantity: '1', created_at: 'TIME' },
  ],
  pos_sales: [
    10,
    {
      checkout_id: `'c' || hex(15)`,
      pos_id: `'pos_0'`,
      sale_key: `'s' || n`,
      total_units: 'cast(1 as RAW)',
      tip_units: 'cast(0 as RAW)',
      created_at: 'TIME',
    },
  ],
  service_payments: [
    10,
    {
      block_hash: 'hex(64)',
      kind: `'credits'`,
      subject: `'s'`,
      account_id: OWNER,
      payer: `'nano_payer'`,
      amount_raw: `cast(${RAW} as RAW)`,
      outcome: `'applied'`,
      created_at: 'TIME',
    },
  ],
  events: [
    50,
    {
      id: `'evt_old_' || n`,
      account_id: OWNER,
      position: 'n - 1000000000',
      subject: `'c' || hex(15)`,
      type: `'payment.completed'`,
      dedupe_key: `'old'`,
      body: `'{"type":"payment.completed"}'`,
      url: `'https://shop.example/hook'`,
      created_at: 'TIME',
      delivered_at: 'TIME + 1000',
    },
  ],
  deliveries: [
    50,
    {
      id: `'dlv_old_' || n`,
      event_id: `'evt_old_' || n`,
      cause: `'event'`,
      state: `'delivered'`,
      attempts: '1',
      created_at: 'TIME',
      finished_at: 'TIME',
    },
  ],
  delivery_attempts: [
    50,
    { delivery_id: `'dlv_old_' || n`, attempt: '1', status: '200', milliseconds: '90', response: `'ok'`, at: 'TIME' },
  ],
  wallet_blocks: [
    60,
    {
      id: `'blk_old_' || n`,
      wallet_id: WALLET,
      account_id: OWNER,
      kind: `case when n % 2 = 0 then 'send' else 'receive' end`,
      status: `'confirmed'`,
      amount_raw: `cast(${RAW} as RAW)`,
      position: '0',
      sequence: 'n',
      hash: 'hex(64)',
      created_at: 'TIME',
      confirmed_at: 'TIME',
    },
  ],
  x402_payments: [
    25,
    {
      block_hash: 'hex(64)',
      block_json: `'{}'`,
      network: `'nano:mainnet'`,
      payer: `'nano_payer_' || (n % 1000)`,
      previous: 'hex(64)',
      amount_raw: `cast(${RAW} as RAW)`,
      pay_to: `'nano_to'`,
      action: `'work_generate'`,
      body_fingerprint: `'f'`,
      state: `'served'`,
      fence: '1',
      created_at: 'TIME',
      updated_at: 'TIME',
    },
  ],
  faucet_claims: [
    10,
    { id: `'fct_old_' || n`, account_id: OWNER, address: ADDRESS, amount_raw: `cast('1' as RAW)`, created_at: 'TIME' },
  ],
  works: [10, { root: 'hex(64)', work: `'w'`, value: `'v'`, created_at: 'TIME', expires_at: 'TIME' }],
}

const SHARES = Object.values(OLD).reduce((sum, [share]) => sum + share, 0)
const BATCH = 250_000

/** The parent rows that the old rows refer to. */
const PARENTS: Readonly<Record<string, readonly [count: number, columns: Readonly<Record<string, string>>]>> = {
  accounts: [1_000, { id: `'acc_merchant_' || (n - 1)`, role: `'user'`, created_at: 'TIME' }],
  wallets: [
    500,
    {
      id: `'wal_old_' || (n - 1)`,
      account_id: OWNER,
      purpose: `'cloud'`,
      address: `'nano_wallet_' || n`,
      status: `'active'`,
      frontier: `''`,
      balance_raw: `cast(${RAW} as RAW)`,
      lease_until: '0',
      fence: '0',
      looked_at: `${Number.MAX_SAFE_INTEGER}`,
      created_at: 'TIME',
    },
  ],
}

export async function fillOwners(bulk: Bulk, engine: StoreEngine, now: number): Promise<void> {
  for (const [table, [count, columns]] of Object.entries(PARENTS))
    await bulk.run(toInsert(table, columns, { engine, from: 1, to: count, now }))
}

/** Adds old rows until the store has about that many. Returns how many there are. */
export async function fillOld(
  bulk: Bulk,
  engine: StoreEngine,
  { from = 0, to, now, tell }: { from?: number; to: number; now: number; tell(line: string): void },
): Promise<number> {
  let written = 0
  for (const [table, [share, columns]] of Object.entries(OLD)) {
    const [first, last] = [from, to].map((rows) => Math.floor((rows * share) / SHARES)) as [number, number]
    const started = performance.now()
    for (let next = first + 1; next <= last; next += BATCH) {
      const end = Math.min(last, next + BATCH - 1)
      await bulk.run(toInsert(table, columns, { engine, from: next, to: end, now }))
    }
    written += last
    tell(`${table}: ${last} rows, ${((performance.now() - started) / 1_000).toFixed(0)} s`)
  }
  return written
}

function toInsert(
  table: string,
  columns: Readonly<Record<string, string>>,
  { engine, from, to, now }: { engine: StoreEngine; from: number; to: number; now: number },
): string {
  // Spread over two years, the latest forty days ago.
  const time = `(${now} - 3456000000 - (n * 7919 % 690) * 86400000 - (n % 86400) * 1000)`
  const [hex, raw, series] =
    engine === 'sqlite'
      ? [
          "printf('%0$1X', n)",
          'text',
          `with recursive old(n) as (select ${from} union all select n + 1 from old where n < ${to})`,
        ]
      : [
          `lpad(upper(to_hex(n)), $1, '0')`,
          'numeric',
          `with old(n) as (select generate_series(${from}::bigint, ${to}::bigint))`,
        ]
  const values = Object.values(columns).map((value) =>
    value
      .replaceAll('TIME', time)
      .replaceAll(/hex\((\d+)\)/g, hex)
      .replaceAll('as RAW', `as ${raw}`),
  )
  const names = Object.keys(columns).join(', ')
  return `${engine === 'sqlite' ? `${series} ` : ''}insert into ${table} (${names}) ${engine === 'sqlite' ? '' : `${series} `}select ${values.join(', ')} from old`
}
