import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Page, type ViewportSize, chromium } from 'playwright-core'
import { CHROMIUM } from '../test/support/chromium.ts'
import { openScreen } from './screen.ts'
import { openWorld } from './world.ts'

/* Takes the README's screenshots from a running gateway on its development ledger, with a month of sales of a small shop. */

const folder = resolve(import.meta.dirname, '../docs/pictures')
const DAY = 86_400_000
const DAYS = 29
const GOODS = [
  { title: 'Cappuccino', amount: '3.1', currency: 'EUR' },
  { title: 'Two teas and a cake', amount: '9', currency: 'EUR', buyer: { name: 'Lena Fischer' } },
  { title: 'Blue mug', amount: '14.9', currency: 'EUR', buyer: { name: 'Tomás Silva' } },
  { title: 'Beans, 500 g', amount: '17.8', currency: 'EUR', buyer: { name: 'Aiko Tanaka' } },
]
const SHOP = { name: 'Blue Mug Coffee', accent: '#993c1d', currency: 'EUR', time_zone: 'Europe/Berlin' }
const TILL = {
  title: 'Front counter',
  currency: 'EUR',
  items: [
    { title: 'Espresso', price: '2.20' },
    { title: 'Cappuccino', price: '3.10' },
    { title: 'Flat white', price: '3.50' },
    { title: 'Cake', price: '3.80' },
    { title: 'Sandwich', price: '5.50' },
    { title: 'Tea', price: '2.60' },
  ],
}

const screen = openScreen(() => {}, false)
const world = await openWorld(screen, { LIMIT_FREE_PER_MINUTE: '0', LIMIT_FREE_CONCURRENCY: '0' })
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
})

async function ask(action: string, fields: object): Promise<Record<string, string>> {
  const { status, body } = await world.rpc(action, fields, { authorization: `Bearer ${world.app.createdKey}` })
  if (status !== 200) throw new Error(`${action} answered ${status}: ${JSON.stringify(body)}`)
  return body as Record<string, string>
}

async function rest(method: string, path: string, fields: object): Promise<Record<string, unknown>> {
  const key = { authorization: `Bearer ${world.app.createdKey}`, 'content-type': 'application/json' }
  const reply = await fetch(`${world.app.url}${path}`, { method, headers: key, body: JSON.stringify(fields) })
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as Record<string, unknown>
}

/** Makes a checkout; a paid one is complete and its webhook delivered when this returns. */
async function sell(shop: string, goods: object, isPaid: boolean): Promise<void> {
  const { address, amount, check } = await ask('checkout', {
    ...goods,
    address: shop,
    webhook_url: world.receiverUrl,
  })
  if (!isPaid) return
  await world.fund(address!, amount!)
  await world.until(async () => (await world.request('GET', check!)).body.success === true)
  await world.nextDelivery()
}

async function openTab(viewport: ViewportSize, deviceScaleFactor: number): Promise<Page> {
  const context = await browser.newContext({
    viewport,
    deviceScaleFactor,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-US',
  })
  return context.newPage()
}

async function keep(page: Page, name: string, height: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.png`)
  const { width } = page.viewportSize()!
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width, height } })
  process.stdout.write(`docs/pictures/${name}.png, ${Math.ceil(statSync(path).size / 1024)} KiB\n`)
}

async function takeCheckout(shop: string): Promise<void> {
  const page = await openTab({ width: 390, height: 844 }, 2)
  const { browser: address } = await ask('checkout', { ...GOODS[0], address: shop })
  await page.goto(address!)
  const card = await page.locator('.payment').boundingBox()
  // Below the card is a panel that exists only on the development ledger.
  await keep(page, 'checkout', Math.ceil(card!.y + card!.height + 14))
}

async function takeTill(shop: string): Promise<void> {
  const { link } = (await rest('POST', '/api/pos', { ...TILL, address: shop })) as { link: string }
  const page = await openTab({ width: 390, height: 844 }, 2)
  await page.goto(link)
  await page.click('[data-item="1"]')
  await page.click('[data-item="3"]')
  const charge = await page.locator('[data-do=charge]').boundingBox()
  await keep(page, 'till', Math.ceil(charge!.y + charge!.height + 14))
}

async function takeDashboard(): Promise<void> {
  const page = await openTab({ width: 1280, height: 800 }, 1)
  await page.goto(`${world.app.url}/dashboard/sign-in`)
  await page.fill('input[name=email]', world.app.createdKey!)
  await page.press('input[name=email]', 'Enter')
  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
  await keep(page, 'dashboard', 740)
}

try {
  const { address: shop } = world.createAccount()
  // While the gateway's clock is that of the browser, because the page's countdown uses both.
  await rest('PUT', '/api/account/profile', SHOP)
  await takeCheckout(shop)
  await takeTill(shop)
  const wallet = await ask('cloud_wallet', { refund_address: shop, expire: '1 year' })
  await world.fund(wallet.address!, '42.5')
  await ask('cloud_wallet', { receive: true, account: wallet.address })
  for (let day = 0; day <= DAYS; day++) {
    for (let order = 0; order < 1 + ((day * 5) % 4); order++) {
      await sell(shop, GOODS[(day + order * 3) % GOODS.length]!, (day + order * 2) % 5 !== 0)
    }
    for (let looks = 0; looks < 3 + ((day * 7) % 5); looks++) await ask('account_balance', { account: shop })
    if (day < DAYS) world.pass(DAY)
  }
  await takeDashboard()
} finally {
  await browser.close()
  await world.close()
}
