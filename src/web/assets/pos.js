/*
 * A till. What is typed and chosen is kept here. Prices, payments and sums come from the gateway, with the token after
 * the # of the link. A tap on "charge" gets a key of its own, which is kept until the sale is over: however often it is
 * sent, it makes one sale.
 */
'use strict'

const main = document.getElementById('till')
const live = document.getElementById('live')
const id = main.dataset.id
const texts = JSON.parse(main.dataset.texts)
const locale = main.dataset.locale
const PLACE = `till ${id}`
const POLL_EVERY = 3_000
const WATCH_EVERY = 10_000
const RETRY_AFTER = 3_000
/** A network that accepts requests but answers none counts as no network. */
const ANSWER_WITHIN = 8_000
const DIGITS_MAX = 9

const $ = (selector) => document.querySelector(selector)
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
const say = (text) => (live.textContent = text)

/* What the browser keeps: the link, who signed in, what is sold here, and the current sale. */

let kept = {}
try {
  kept = JSON.parse(localStorage.getItem(PLACE)) ?? {}
} catch {
  // A stored value that cannot be read counts as none.
}
function keep(changes) {
  kept = { ...kept, ...changes }
  try {
    localStorage.setItem(PLACE, JSON.stringify(kept))
  } catch {
    // Without storage it works until the page is closed.
  }
}

const tokenIn = (link) => /#(\w{40})$/.exec(link.trim())?.[1]
function takeToken() {
  const token = tokenIn(location.href)
  if (!token) return
  if (token !== kept.token) keep({ token, session: undefined, device: undefined })
  history.replaceState(null, '', location.pathname + location.search)
}

/* Requests. */

/** Returns status and members; throws if nobody answers. */
async function ask(path, body) {
  try {
    const answer = await send(path, body)
    heard(true)
    return answer
  } catch (error) {
    heard(false)
    throw error
  }
}

async function send(path, body) {
  const headers = { accept: 'application/json', 'pos-token': kept.token ?? '' }
  if (kept.session) headers['pos-session'] = kept.session
  if (kept.device) headers['pos-device'] = kept.device
  const options = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  if (body) headers['content-type'] = 'application/json'
  const response = await fetch(`/pos/${id}${path}`, {
    ...options,
    headers,
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout?.(ANSWER_WITHIN),
  })
  const json = await response.json()
  return { status: response.status, json }
}

let asking
/** Whether the gateway answers. If not, every screen says so, and what is shown is requested again. */
function heard(isHeard) {
  clearTimeout(asking)
  if (!isHeard) asking = setTimeout(wake, RETRY_AFTER)
  const line = $('[data-offline]')
  if (line.hidden === isHeard) return
  line.hidden = isHeard
  say(isHeard ? '' : texts.offline)
}

/** Handles answers that mean the same everywhere; returns whether it was one. */
function isShut({ status, json }) {
  if (status === 401) {
    keep({ session: undefined })
    show('pin')
  } else if (status === 404) show('gone')
  else if (status === 403) problem(json.error)
  else return false
  return true
}

function problem(text) {
  $('[data-problem]').textContent = text
  show('problem')
}

/* Screens. */

let screen
const BEFORE_SELLING = new Set(['link', 'gone', 'problem', 'pin'])
function show(name) {
  const changed = screen !== name
  screen = name
  for (const section of main.querySelectorAll('[data-screen]')) section.hidden = section.dataset.screen !== name
  document.body.dataset.screen = name
  $('[data-bar]').hidden = BEFORE_SELLING.has(name)
  if (name !== 'pay') stopFollowing()
  if (!changed) return
  if (name === 'pin') $('#pin').focus()
  if (name === 'link') $('#link').focus()
  if (name === 'tip') $('[data-tips] button')?.focus()
  if (name === 'day') $('section[data-screen=day] button').focus()
  window.scrollTo(0, 0)
}

/* Money: whole numbers of the smallest unit, like in the gateway. */

const scale = () => (kept.till.currency === 'NANO' ? 30 : 8)
function toUnits(text) {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt((whole || '0') + fraction.padEnd(scale(), '0'))
}
function toText(units) {
  const digits = units.toString().padStart(scale() + 1, '0')
  const fraction = digits.slice(-scale()).replace(/0+$/, '')
  const whole = digits.slice(0, -scale())
  return fraction === '' ? whole : `${whole}.${fraction}`
}
function showNano(text) {
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 30 }).format(text)} nano`
}
function showPrice(text) {
  const { currency } = kept.till
  if (currency === 'NANO') return showNano(text)
  const decimals = text.split('.')[1]?.length ?? 0
  const style = { style: 'currency', currency }
  const { minimumFractionDigits: usual } = new Intl.NumberFormat(locale, style).resolvedOptions()
  return new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: Math.max(usual, decimals) }).format(text)
}
/** Rounded to the nearest coin, like in the gateway. */
function tipOn(units, percent) {
  const coin = 10n ** BigInt(scale() - kept.till.decimals)
  return ((units * BigInt(percent) * 2n + coin * 100n) / (coin * 200n)) * coin
}

/* The keypad. */

let typed = ''
/** How many of each item. */
let chosen = new Map()

function sum() {
  let units = typed === '' ? 0n : toUnits(typed)
  for (const [item, quantity] of chosen) units += toUnits(kept.till.items[item].price) * BigInt(quantity)
  return units
}

function press(key) {
  const { decimals } = kept.till
  const [whole, fraction] = typed.split('.')
  if (key === 'back') typed = typed.slice(0, -1)
  else if (key === '.') {
    if (fraction === undefined && decimals > 0) {
      typed ||= '0'
      typed += '.'
    }
  } else if (fraction === undefined ? whole.length < DIGITS_MAX : fraction.length < decimals) {
    typed = typed === '0' ? key : typed + key
  }
  notice('')
  draw()
}

function clear() {
  typed = ''
  chosen = new Map()
  draw()
}

function draw() {
  const units = sum()
  const total = showPrice(toText(units))
  const lines = [...chosen].map(([item, quantity]) => `${quantity} × ${kept.till.items[item].title}`)
  if (typed !== '' && chosen.size > 0) lines.push(showPrice(toText(toUnits(typed))))
  $('[data-order]').textContent = lines.join(' · ')
  // While somebody types, the text stays as they typed it.
  $('[data-total]').textContent = total
  const charge = $('[data-do=charge]')
  charge.textContent = fill(texts.charge, { total })
  charge.disabled = units === 0n
  for (const button of main.querySelectorAll('[data-item]')) {
    const quantity = chosen.get(Number(button.dataset.item))
    button.querySelector('.count').textContent = quantity ? `× ${quantity}` : ''
  }
}

function notice(text) {
  const place = $('[data-notice]')
  place.textContent = text
  place.hidden = text === ''
}

function element(name, className, text) {
  const made = document.createElement(name)
  made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

/** Shows the items that are sold here. */
function furnish() {
  const { title, items, tips, paused, decimals } = kept.till
  document.title = title
  $('[data-title]').textContent = title
  dress(kept.till)
  const goods = $('[data-items]')
  goods.replaceChildren(
    ...items.map((item, at) => {
      const button = element('button', 'good')
      button.type = 'button'
      button.dataset.item = at
      const name = element('span', 'good-title', item.title)
      name.dir = 'auto'
      button.append(name, element('span', 'good-price', showPrice(item.price)), element('span', 'count', ''))
      return button
    }),
  )
  goods.hidden = items.length === 0
  document.body.classList.toggle('stocked', items.length > 0)
  $('[data-tips]').replaceChildren(
    ...[0, ...tips].map((percent) => {
      const button = element('button', percent === 0 ? 'button quiet' : 'button')
      button.type = 'button'
      button.dataset.tip = percent
      return button
    }),
  )
  $('[data-lock]').hidden = !kept.session
  const point = $('[data-point]')
  point.textContent = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal').value
  point.disabled = decimals === 0
  if (paused) notice(texts.paused)
  draw()
}

/** In the shop's colour and with its logo. */
function dress({ shop }) {
  $('[data-shop]').textContent = shop && shop.name !== kept.till.title ? shop.name : ''
  const logo = $('[data-logo]')
  logo.hidden = !shop?.logo
  if (shop?.logo && logo.getAttribute('src') !== shop.logo) logo.src = shop.logo
  const before = $('link[data-colour]')
  if ((before?.getAttribute('href') ?? null) === (shop?.sheet ?? null)) return
  before?.remove()
  if (!shop?.sheet) return
  const sheet = document.createElement('link')
  Object.assign(sheet, { rel: 'stylesheet', href: shop.sheet })
  sheet.dataset.colour = ''
  document.head.append(sheet)
  $('meta[name=theme-color]').content = shop.colour
}

function offerTips() {
  const units = sum()
  $('[data-tip-total]').textContent = showPrice(toText(units))
  for (const button of main.querySelectorAll('[data-tip]')) {
    const percent = Number(button.dataset.tip)
    const part = new Intl.NumberFormat(locale, { style: 'percent' }).format(percent / 100)
    button.textContent = percent === 0 ? texts.noTip : `${part} · ${showPrice(toText(tipOn(units, percent)))}`
  }
  show('tip')
}

/* A sale. */

let stream
let timer
let sending = false
let current
/** The gateway's clock, whatever this machine's clock says. */
let offset = 0

const isOver = ({ status }) => status === 'complete' || status === 'cancelled' || status === 'expired'

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function charge(percent) {
  const units = sum()
  if (units === 0n || kept.sale) return
  const items = [...chosen].map(([item, quantity]) => ({ item, quantity }))
  const amount = typed === '' ? undefined : toText(toUnits(typed))
  const total = toText(units + (percent === 0 ? 0n : tipOn(units, percent)))
  keep({ sale: { body: { key: newKey(), amount, items, tip: percent, total } } })
  clear()
  void goOn()
}

/** Makes the stored sale, or finds it again after a lost reply, a reload or an empty battery. */
async function goOn() {
  const { sale } = kept
  if (!sale) return
  if (current?.id !== sale.id || !sale.id) drawMaking(sale)
  show('pay')
  if (sending) return
  sending = true
  clearTimeout(timer)
  try {
    const answer = await (sale.id ? ask(`/sales/${sale.id}`) : ask('/sales', sale.body))
    if (kept.sale !== sale) return
    take(answer)
  } catch {
    // Nobody answers: the same request is sent again with the same key.
    if (kept.sale === sale) later(texts.retrying)
  } finally {
    sending = false
    if (kept.sale && kept.sale !== sale) void goOn()
  }
}

function later(text) {
  if (!current) $('[data-state-text]').textContent = text
  clearTimeout(timer)
  timer = setTimeout(() => void goOn(), RETRY_AFTER)
}

function take(answer) {
  const { status, json } = answer
  if (status === 200 || status === 201) {
    const { sale } = kept
    if (!sale.id) keep({ sale: { ...sale, id: json.id } })
    drawSale(json)
    return
  }
  if (status === 429 || status >= 500) return later(status === 503 ? texts.unavailable : texts.retrying)
  if (status === 401) return void isShut(answer)
  keep({ sale: undefined })
  if (isShut(answer)) return
  show('sale')
  const isChanged = status === 409 && json.field === 'total'
  notice(isChanged ? texts.changed : status === 409 && json.status === 'paused' ? texts.paused : texts.failed)
  void load()
}

function drawMaking({ body }) {
  current = undefined
  const section = $('section[data-screen=pay]')
  section.dataset.state = 'making'
  $('[data-state-text]').textContent = texts.oneMoment
  $('[data-pay-total]').textContent = body ? showPrice(body.total) : ''
  $('[data-pay-nano]').textContent = ''
  $('[data-left]').textContent = ''
  $('[data-qr]').replaceChildren()
}

const WORDS = { pending: 'waiting', partial: 'waiting', detected: 'seen' }
function wordsOf({ status, additional_status: additional }) {
  if (additional === 'paid_late' && status !== 'complete') return texts.late
  return texts[WORDS[status] ?? status]
}

function drawSale(sale) {
  const before = current
  current = sale
  offset = sale.now_unix * 1_000 - Date.now()
  const state = isOver(sale) ? sale.status : sale.status === 'detected' ? 'seen' : 'waiting'
  const section = $('section[data-screen=pay]')
  const changed = section.dataset.state !== state
  section.dataset.state = state
  $('[data-state-text]').textContent = wordsOf(sale)
  $('[data-pay-total]').textContent = showPrice(sale.total)
  $('[data-pay-nano]').textContent = sale.amount ? showNano(sale.amount) : ''
  if (before?.link !== sale.link) drawCode(sale)
  $('[data-receipt]').href = `/pay/${sale.id}/receipt`
  // Somebody who may refund signs in there.
  $('[data-refund]').href = `/dashboard/checkouts/${sale.id}/refund`
  tick()
  if (changed) {
    say(wordsOf(sale))
    if (isOver(sale)) $('[data-do=new]').focus()
    else $('[data-state-text]').focus({ preventScroll: true })
  }
  // Also if it was paid while nobody was looking; once.
  if (sale.status === 'complete' && !kept.sale?.told) {
    if (kept.sale) keep({ sale: { ...kept.sale, told: true } })
    sound()
  }
  if (isOver(sale)) stopFollowing()
  else follow(sale)
}

function drawCode({ link, qr, amount }) {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  const set = (node, values) => Object.entries(values).forEach(([name, value]) => node.setAttribute(name, value))
  const label = fill(texts.qrCode, { amount: showNano(amount ?? '0'), address: /nano_\w+/.exec(link ?? '')?.[0] ?? '' })
  set(svg, { viewBox: `0 0 ${qr.size} ${qr.size}`, 'shape-rendering': 'crispEdges', role: 'img', 'aria-label': label })
  const ground = document.createElementNS(space, 'rect')
  set(ground, { width: qr.size, height: qr.size, fill: '#fff' })
  const dark = document.createElementNS(space, 'path')
  set(dark, { d: qr.path, fill: '#000' })
  svg.append(ground, dark)
  $('[data-qr]').replaceChildren(svg)
}

/** Events come first, and polling is a safety net. */
function follow({ id: sale }) {
  if (stream?.url.includes(`/pay/${sale}/`) !== true) {
    stream?.close()
    stream = new EventSource(`/pay/${sale}/events`)
    // A broken connection is noticed at once, not only at the next poll.
    stream.addEventListener('error', () => current?.id === sale && void goOn())
    stream.addEventListener('status', (event) => {
      const { status, additional_status: additional } = JSON.parse(event.data)
      if (current?.id === sale && (status !== current.status || additional !== current.additional_status)) void goOn()
    })
  }
  clearTimeout(timer)
  const isOpen = stream.readyState === EventSource.OPEN
  timer = setTimeout(() => void goOn(), isOpen ? WATCH_EVERY : POLL_EVERY)
}

function stopFollowing() {
  clearTimeout(timer)
  stream?.close()
  stream = undefined
}

function tick() {
  const left = current && !isOver(current) ? current.expires_unix - Math.floor((Date.now() + offset) / 1_000) : 0
  const shown = left > 0 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}` : ''
  $('[data-left]').textContent = shown
}

/** Leaves a sale. It can still be paid until it expires, and is in the list of the day. */
function leave() {
  keep({ sale: undefined })
  current = undefined
  show('sale')
  draw()
}

/* Sound and vibration, which browsers allow after the first touch. */

let audio
function unlock() {
  audio ??= 'AudioContext' in window ? new AudioContext() : undefined
  if (audio?.state === 'suspended') void audio.resume()
}
function sound() {
  navigator.vibrate?.([120, 80, 240])
  if (!audio) return
  document.body.dataset.sounded = String(Number(document.body.dataset.sounded ?? 0) + 1)
  for (const [at, pitch] of [880, 1_319].entries()) {
    const tone = audio.createOscillator()
    const loud = audio.createGain()
    const begins = audio.currentTime + at * 0.14
    tone.frequency.value = pitch
    loud.gain.setValueAtTime(0.0001, begins)
    loud.gain.exponentialRampToValueAtTime(0.3, begins + 0.02)
    loud.gain.exponentialRampToValueAtTime(0.0001, begins + 0.35)
    tone.connect(loud).connect(audio.destination)
    tone.start(begins)
    tone.stop(begins + 0.4)
  }
}

/* The day. */

async function showDay() {
  show('day')
  try {
    const answer = await ask('/day')
    if (screen !== 'day' || answer.status === 429) return
    if (answer.status === 200) return drawDay(answer.json)
    if (isShut(answer)) return
  } catch {
    if (screen !== 'day') return
  }
  // Outdated sums would be wrong.
  for (const sum of main.querySelectorAll('.sums dd')) sum.textContent = '–'
  $('[data-sales]').replaceChildren()
}

/** What became of a sale; a refund is the last word about it. */
function stateOf(sale) {
  if (sale.additional_status === 'refunded') return texts.stateRefunded
  if (sale.additional_status === 'partly_refunded') return texts.statePartlyRefunded
  return sale.status === 'complete' ? texts.complete : isOver(sale) ? texts.stateOver : texts.stateOpen
}

function drawDay(day) {
  $('[data-date]').textContent = day.date
  $('[data-count]').textContent = day.count
  $('[data-sum]').textContent = showPrice(day.total)
  $('[data-tip-sum]').textContent = showPrice(day.tips)
  $('[data-nano-sum]').textContent = day.nano
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: day.time_zone })
  const rows = day.sales.map((sale) => {
    const row = element('li', sale.status)
    const button = element('button', 'sold')
    button.type = 'button'
    button.dataset.sale = sale.id
    button.append(
      element('span', 'when', time.format(sale.created_unix * 1_000)),
      element('span', 'sum', showPrice(sale.total)),
      element('span', 'state', stateOf(sale)),
    )
    row.append(button)
    return row
  })
  $('[data-sales]').replaceChildren(...(rows.length > 0 ? rows : [element('li', 'none', texts.noSales)]))
}

/* Signing in. */

async function load() {
  try {
    const answer = await ask('/till')
    if (answer.status === 200) {
      const isOther = JSON.stringify(kept.till) !== JSON.stringify(answer.json)
      keep({ till: answer.json })
      // A sale that is being made belongs to the till as it was at its start.
      if (isOther && screen === 'tip') show('sale')
      if (isOther) chosen = new Map()
      if (isOther) furnish()
      return true
    }
    if (answer.status < 500 && answer.status !== 429) return !isShut(answer)
  } catch {
    // The page says so already.
  }
  return kept.till !== undefined
}

async function begin() {
  takeToken()
  if (!kept.token) return show('link')
  // The keypad needs no network: the items of yesterday can be typed at once.
  if (kept.till) {
    furnish()
    show('sale')
  }
  if (!(await load())) return kept.token && screen === undefined ? problem(texts.failed) : undefined
  if (kept.sale) void goOn()
  else if (screen !== 'day') show('sale')
}

async function signIn() {
  const field = $('#pin')
  const wrong = $('#pin-wrong')
  try {
    const answer = await ask('/sign-in', { pin: field.value })
    const { status, json } = answer
    field.value = ''
    if (status === 200) {
      wrong.textContent = ''
      keep({ session: json.session, device: json.device })
      return void begin()
    }
    if (status === 404) return show('gone')
    if (status === 429) {
      const minutes = Math.max(1, Math.ceil((json.retry_after ?? 60) / 60))
      const left = new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(minutes)
      wrong.textContent = fill(texts.pinPaused, { left })
    } else if (status === 403) wrong.textContent = json.code === 'limit_reached' ? texts.pinShut : json.error
    else wrong.textContent = status === 401 ? fill(texts.wrongPin, { n: String(json.tries_left) }) : texts.failed
  } catch {
    wrong.textContent = texts.failed
  }
  field.focus()
}

const DEEDS = {
  charge: () => (kept.till.tips.length > 0 ? offerTips() : charge(0)),
  clear,
  keypad: () => (screen === 'pay' ? leave() : show('sale')),
  new: leave,
  day: () => void showDay(),
  again: () => void begin(),
  lock() {
    keep({ session: undefined })
    clear()
    show('pin')
  },
}

document.addEventListener('click', (event) => {
  unlock()
  const button = event.target instanceof Element ? event.target.closest('button') : undefined
  if (!button) return
  const { key, item, tip, sale } = button.dataset
  if (key) press(key)
  else if (item !== undefined) {
    chosen.set(Number(item), Math.min(999, (chosen.get(Number(item)) ?? 0) + 1))
    notice('')
    draw()
  } else if (tip !== undefined) charge(Number(tip))
  else if (sale) {
    keep({ sale: { id: sale, told: true } })
    void goOn()
  } else DEEDS[button.dataset.do]?.()
})

document.addEventListener('keydown', (event) => {
  unlock()
  if (screen !== 'sale' || event.ctrlKey || event.metaKey || event.altKey) return
  const { key } = event
  if (/^[0-9]$/.test(key)) press(key)
  else if (key === '.' || key === ',') press('.')
  else if (key === 'Backspace') press('back')
  // If a button has the focus, the key presses that button.
  else if (key === 'Enter' && document.activeElement === document.body && sum() > 0n) DEEDS.charge()
})

$('#pin-form').addEventListener('submit', (event) => {
  event.preventDefault()
  void signIn()
})
$('#link-form').addEventListener('submit', (event) => {
  event.preventDefault()
  const token = tokenIn($('#link').value)
  if (!token) return show('gone')
  keep({ token, session: undefined, device: undefined })
  void begin()
})

setInterval(tick, 1_000)
function wake() {
  if (document.hidden) return
  if (screen === 'pay') {
    if (kept.sale && !(current && isOver(current))) void goOn()
  } else if (screen === 'day') void showDay()
  else if (screen === 'problem') void begin()
  else if (kept.token && screen !== 'gone') void load()
}
document.addEventListener('visibilitychange', wake)
addEventListener('online', wake)
addEventListener('offline', () => heard(false))
addEventListener('hashchange', () => void begin())
/**
 * From the first visit on, the till opens without a network. Its files were loaded before the worker could keep them,
 * so it is told which they are.
 */
async function install() {
  try {
    if (!navigator.serviceWorker) return
    await navigator.serviceWorker.register('/pos/worker.js', { scope: '/pos/' })
    const { active } = await navigator.serviceWorker.ready
    const parts = [...document.querySelectorAll('link[href], script[src], img[src]')].map(
      ({ href, src }) => href ?? src,
    )
    active.postMessage({ shell: location.pathname + location.search, parts })
  } catch {
    // Without the worker the till works as long as there is a network.
  }
}
void begin().then(install)
