// Keeps pages up to date: when something that they show changes, they are read again and the changed parts are
// replaced. What somebody is typing, has opened or has focused stays. Without this script a page stays as it was
// loaded.
'use strict'

// Each reading counts against the account like a request. The first change is shown at once; if many follow, they are
// shown at most this often.
const GAP = 2500
const RETRY_FIRST = 5000
const RETRY_MAX = 300000
const REFUSALS_SAID = 2
const live = document.querySelector('main[data-live]')
const said = document.getElementById('live-said')
const follows = new Set(live.dataset.live.split(' '))
let readAt = live.dataset.readAt
let stream
let retryAfter = RETRY_FIRST
let refusals = 0
let retry
let isReading = false
let isDue = false
let isLeaving = false

async function read() {
  isDue = true
  if (isReading || document.hidden || isLeaving) return
  isReading = true
  isDue = false
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'manual' })
    if (response.ok) {
      show(new DOMParser().parseFromString(await response.text(), 'text/html'))
      // The gateway answers, but refuses the stream: too many pages are being followed.
      if (refusals >= REFUSALS_SAID && !isLeaving) sayRarely()
    } else if (response.type === 'opaqueredirect' || response.status === 403) goodbye()
  } catch {
    // The gateway is unavailable; the stream reports when it is back.
  }
  setTimeout(() => {
    isReading = false
    if (isDue) void read()
  }, GAP)
}

function show(next) {
  const fresh = next.querySelector('main[data-live]')
  if (!fresh || isLeaving) return
  readAt = fresh.dataset.readAt
  dress(fresh)
  changed = false
  morph(live, fresh)
  if (changed) tell('This page has changed.')
}

function tell(text) {
  // Screen readers would announce the same words only once.
  said.textContent = said.textContent === text ? `${text} ` : text
}

function sayRarely() {
  said.classList.remove('unseen')
  said.classList.add('notice')
  said.textContent = 'Too many pages are followed at the moment: this one is read again every few minutes.'
}

function sayNothing() {
  said.classList.add('unseen')
  said.classList.remove('notice')
  said.textContent = ''
}

function goodbye() {
  stream?.close()
  stream = undefined
  clearTimeout(retry)
  isLeaving = true
  said.classList.remove('unseen')
  said.classList.add('notice', 'failed')
  tell('You are signed out, and this page is no longer updated. ')
  const link = document.createElement('a')
  link.href = location.href
  link.textContent = 'Sign in'
  said.append(link)
}

function open() {
  if (stream || document.hidden || isLeaving) return
  clearTimeout(retry)
  const opened = new EventSource(`/dashboard/live?since=${readAt}`)
  stream = opened
  opened.addEventListener('open', () => {
    retryAfter = RETRY_FIRST
    if (refusals >= REFUSALS_SAID) sayNothing()
    refusals = 0
  })
  opened.addEventListener('changed', ({ data }) => {
    if (data.split(' ').some((one) => follows.has(one))) void read()
  })
  // The stream does not reconnect by itself, because its address contains the time of the last reading. A gateway that
  // refuses is asked less and less often.
  opened.addEventListener('error', () => {
    opened.close()
    if (stream !== opened) return
    stream = undefined
    refusals++
    retry = setTimeout(
      () => {
        open()
        void read()
      },
      retryAfter * (1 + Math.random() / 2),
    )
    retryAfter = Math.min(RETRY_MAX, retryAfter * 2)
  })
}

// Browsers allow few connections to one host, so only a visible page holds one.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    stream?.close()
    stream = undefined
    clearTimeout(retry)
  } else {
    retryAfter = RETRY_FIRST
    open()
    if (isDue) void read()
  }
})
document.addEventListener('submit', (event) => (isLeaving ||= event.target.method === 'post'))
addEventListener('pagehide', () => stream?.close())
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted) return
  isLeaving = false
  stream = undefined
  open()
  void read()
})

// ---- Merges the new page into the current one.

let changed = false
/** Keeps what was typed, and the tokens of forms: a form that is sent twice counts once by its token. */
const KEPT = new Set(['csrf', 'form_token'])

/**
 * What a part of a page is about, so that it is recognised in another place; undefined if only its place identifies it.
 */
function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return undefined
  if (node.id) return `#${node.id}`
  const about =
    node.tagName === 'FORM'
      ? node.getAttribute('action')
      : node.tagName === 'TR'
        ? node.querySelector('a[href]')?.getAttribute('href')
        : node.tagName === 'A'
          ? node.getAttribute('href')
          : node.tagName === 'SECTION'
            ? node.querySelector('h2')?.textContent
            : undefined
  return about && `${node.tagName} ${about}`
}

const isSame = (old, fresh) =>
  old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh)

const hasDefault = ({ options }) => [...options].some((option) => option.defaultSelected)

const isTyped = (field) =>
  field.type === 'checkbox' || field.type === 'radio'
    ? field.checked !== field.defaultChecked
    : field.tagName === 'SELECT'
      ? !(field.selectedOptions[0]?.defaultSelected ?? true) && (field.selectedIndex > 0 || hasDefault(field))
      : field.type !== 'hidden' && field.value !== field.defaultValue

const FIELDS = 'input, textarea, select'
const fieldsIn = (node) => [...(node.matches(FIELDS) ? [node] : []), ...node.querySelectorAll(FIELDS)]

/** Somebody is using it, so it stays until they have finished. */
const isInUse = (node) =>
  node.nodeType === Node.ELEMENT_NODE &&
  ((node.contains(document.activeElement) && document.activeElement !== document.body) || fieldsIn(node).some(isTyped))

function morph(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) {
      old.data = fresh.data
      changed = true
    }
    return
  }
  if (old.tagName === 'TEXTAREA' || old.tagName === 'SELECT') {
    if (isTyped(old) || old === document.activeElement) return
  }
  if (old.tagName === 'INPUT' && (KEPT.has(old.name) || isTyped(old) || old === document.activeElement)) return
  morphAttributes(old, fresh)
  morphChildren(old, fresh)
}

function morphAttributes(old, fresh) {
  for (const { name, value } of [...fresh.attributes]) {
    if (name !== 'open' && old.getAttribute(name) !== value) old.setAttribute(name, value)
  }
  for (const { name } of [...old.attributes]) {
    if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name)
  }
}

function morphChildren(old, fresh) {
  const waiting = new Set(old.childNodes)
  let place = old.firstChild
  for (const wanted of [...fresh.childNodes]) {
    const found = [...waiting].find((one) => isSame(one, wanted))
    if (!found) {
      changed ||= wanted.nodeType === Node.ELEMENT_NODE || wanted.data.trim() !== ''
      if (wanted.tagName === 'TR') wanted.classList.add('fresh')
      old.insertBefore(wanted, place)
      continue
    }
    waiting.delete(found)
    if (found === place) place = place.nextSibling
    // Moved only if necessary, because moving an element takes away its focus.
    else if (!isInUse(found)) old.insertBefore(found, place)
    while (place && !waiting.has(place)) place = place.nextSibling
    morph(found, wanted)
  }
  for (const gone of waiting) {
    if (isInUse(gone)) continue
    gone.remove()
    changed = true
  }
}

open()
