/*
 * Keeps the payment page up to date. The server renders everything: this script fetches the page again and replaces its
 * parts.
 */
const HOUR = 3_600
const DAY = 24 * HOUR
const NEAR = HOUR
const WATCH_EVERY = 10_000
const POLL_EVERY = 3_000
const RETRY_AFTER = 5_000
const RETURN_SECONDS = 5

// In the digits that wallets show, like the server.
const locale = `${document.documentElement.lang}-u-nu-latn`
let main = document.getElementById('pay')
const live = document.getElementById('live')
let offset = 0
let stream
let busy = false
let again = false
let poll
let announced = Infinity
let returning

/** Announces something to screen readers. */
function say(text) {
  if (live) live.textContent = text ?? ''
}

/* Copying. */

async function copy(button) {
  const text = button.dataset.copy
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Without https a page has no clipboard; the text is selected instead.
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'unseen'
    button.after(field)
    field.select()
    document.execCommand('copy')
    field.remove()
    button.focus()
  }
  button.dataset.label ??= button.textContent
  button.textContent = button.dataset.copied
  button.classList.add('done')
  say(button.dataset.copied)
  setTimeout(() => {
    button.textContent = button.dataset.label
    button.classList.remove('done')
  }, 2_000)
}

/* Time: that of the server, whatever this machine's clock says. */

const two = (number) => String(number).padStart(2, '0')

/** Counts seconds only near the end; before that a running clock would only make people nervous. */
function inWords(seconds) {
  if (seconds <= NEAR) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`
  const [unit, length] = seconds >= 2 * DAY ? ['day', DAY] : seconds >= 2 * HOUR ? ['hour', HOUR] : ['minute', 60]
  const style = { style: 'unit', unit, unitDisplay: 'long' }
  return new Intl.NumberFormat(locale, style).format(Math.round(seconds / length))
}

function tick() {
  const timer = main?.querySelector('.timer')
  if (!timer) return
  const left = Number(timer.dataset.until) - (Date.now() + offset)
  if (left <= 0) {
    say(main.dataset.up)
    timer.remove()
    void refresh()
    return
  }
  const seconds = Math.ceil(left / 1_000)
  timer.textContent = timer.dataset.text.replace('{left}', inWords(seconds))
  timer.classList.toggle('soon', seconds <= 60)
  const minutes = seconds <= 60 ? 1 : seconds <= 300 ? 5 : Infinity
  if (minutes < announced && announced !== Infinity) say(minutes === 1 ? main.dataset.one : main.dataset.five)
  announced = minutes === Infinity ? 99 : minutes
}

/* The state: events come first, and polling is a safety net. */

const isFinal = (status) => status === 'complete' || status === 'cancelled' || status === 'refunded'

/** Whether the gateway's answer differs from what the page shows. */
function differs(check) {
  const { status, additional, amount, paid } = main.dataset
  return (
    check.status !== status ||
    check.additional_status !== additional ||
    (check.amount_raw ?? '') !== amount ||
    check.amount_paid_raw !== paid
  )
}

function take(check) {
  if (check.id === main.dataset.id && differs(check)) void refresh()
}

async function look() {
  try {
    const response = await fetch(`/check/${main.dataset.id}`, { cache: 'no-store' })
    if (response.ok) take(await response.json())
  } catch {
    // Offline; the next poll tries again.
  }
}

function watch() {
  clearTimeout(poll)
  if (isFinal(main.dataset.status)) {
    stream?.close()
    return
  }
  const heard = stream?.readyState === EventSource.OPEN
  poll = setTimeout(
    async () => {
      if (!document.hidden) await look()
      watch()
    },
    heard ? WATCH_EVERY : POLL_EVERY,
  )
}

function listen() {
  if (isFinal(main.dataset.status) || !('EventSource' in window)) return
  stream = new EventSource(`/pay/${main.dataset.id}/events`)
  stream.addEventListener('status', (event) => take(JSON.parse(event.data)))
}

/** Fetches the current page and replaces parts. One fetch at a time; changes that arrive meanwhile cause one more. */
async function refresh(url = location.href) {
  if (busy) {
    again = true
    return
  }
  busy = true
  try {
    const response = await fetch(url, { headers: { accept: 'text/html' }, cache: 'no-store' })
    if (!response.ok) {
      // No price at the moment, or too many requests: what is shown may be outdated.
      setTimeout(() => void refresh(), RETRY_AFTER)
      return
    }
    const next = new DOMParser().parseFromString(await response.text(), 'text/html')
    const fresh = next.getElementById('pay')
    if (fresh) place(document.adoptNode(fresh), next.title)
  } catch {
    // Offline; the next event or poll tries again.
  } finally {
    busy = false
    if (again) {
      again = false
      void refresh()
    }
  }
}

function place(fresh, title) {
  const before = main.dataset
  const changed = before.state !== fresh.dataset.state
  const plan = document.activeElement?.dataset?.plan
  const panel = main.querySelector('.developer')?.open
  // An address that is being typed for the receipt stays, whatever happens to the payment.
  const fold = main.querySelector('.receipt-by-mail')
  const typed = fold?.querySelector('[name=email]')
  const isTyping = typed !== null && typed === document.activeElement
  const wasPaid = before.status === 'complete'
  main.replaceWith(fresh)
  main = fresh
  document.title = title
  if (panel === false) main.querySelector('.developer')?.removeAttribute('open')
  const unfolded = main.querySelector('.receipt-by-mail')
  const field = unfolded?.querySelector('[name=email]')
  if (fold?.open && unfolded) unfolded.open = true
  if (typed?.value && field) field.value = typed.value
  prepare()
  if (isTyping && field) field.focus()
  else if (changed) {
    const heading = document.getElementById('state')
    heading?.focus({ preventScroll: true })
    main.querySelector('.card').scrollIntoView({ block: 'nearest' })
    say(heading?.textContent)
  } else if (plan !== undefined) main.querySelector(`[data-plan="${plan}"]`)?.focus()
  tell()
  if (!wasPaid && main.dataset.status === 'complete') goBackSoon()
  watch()
}

/* After the payment the page returns to the shop, unless the payer chooses to stay. */

function goBackSoon() {
  const target = main.querySelector('[data-return]')?.dataset.return
  const note = main.querySelector('.returning')
  if (!target || !note) return
  let left = RETURN_SECONDS
  const count = () => {
    note.firstElementChild.textContent = note.dataset.text.replace('{n}', left)
    if (left-- > 0) return
    clearInterval(returning)
    location.assign(target)
  }
  note.querySelector('button').addEventListener('click', () => {
    clearInterval(returning)
    note.remove()
    main.querySelector('[data-return]').focus()
  })
  note.hidden = false
  count()
  returning = setInterval(count, 1_000)
}

/* Inside a page of a shop, only that page gets the events. */

function post(message) {
  const { embed, id } = main.dataset
  if (embed && window.parent !== window) window.parent.postMessage({ source: 'nano-gateway', id, ...message }, embed)
}

function tell() {
  const { status, additional, merchant } = main.dataset
  post({ type: 'status', status, additional_status: additional, success: status === 'complete', merchant })
}

/* Sets up a page, or a part that was just replaced. */

function prepare() {
  offset = Number(main.dataset.now) - Date.now()
  for (const button of main.querySelectorAll('.copy')) button.hidden = false
  tick()
}

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : undefined
  const button = target?.closest('[data-copy]')
  if (button) void copy(button)
  const plan = target?.closest('[data-plan]')
  if (plan && main && !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0) {
    event.preventDefault()
    history.replaceState(null, '', plan.href)
    void refresh(plan.href)
  }
  if (target?.closest('[data-print]')) window.print()
})

/** The effect of a developer's action is shown at once, without leaving the page. */
async function play(form) {
  const fields = new URLSearchParams(new FormData(form))
  fields.delete('return')
  await fetch(form.action, { method: 'POST', body: fields })
  await refresh()
}

document.addEventListener('submit', (event) => {
  if (!main || !event.target.closest('.developer')) return
  event.preventDefault()
  void play(event.target)
})

for (const time of document.querySelectorAll('time:not([title])')) {
  const style = { dateStyle: 'long', timeStyle: 'long' }
  time.textContent = new Intl.DateTimeFormat(locale, style).format(new Date(time.dateTime))
}
for (const button of document.querySelectorAll('[data-print], .copy')) button.hidden = false

if (main) {
  prepare()
  tell()
  listen()
  watch()
  setInterval(tick, 1_000)
  const wake = () => {
    if (!document.hidden) void look()
  }
  document.addEventListener('visibilitychange', wake)
  window.addEventListener('online', wake)
  // A page restored from the browser's memory may be outdated.
  window.addEventListener('pageshow', (event) => event.persisted && wake())
  document.addEventListener('keydown', (event) => event.key === 'Escape' && post({ type: 'close' }))
}
