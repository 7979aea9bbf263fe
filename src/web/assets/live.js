// Pages follow what they show: when something of it changes they are read again, and what is new is put in its place. What somebody is
// typing, has opened or stands on stays. Without this a page is as it was when it was loaded.
'use strict'

// Reading counts against the account like any request: the first change is shown at once, and many not more often than this.
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
      // The gateway answers, and the stream does not: as many pages are followed as may be.
      if (refusals >= REFUSALS_SAID && !isLeaving) sayRarely()
    } else if (response.type === 'opaqueredirect' || response.status === 403) goodbye()
  } catch {
    // The gateway is away; the stream says when it is back.
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
  // The same words twice would be said once.
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
  // Not by itself: its address says what was read last. A gateway that refuses is asked ever more rarely.
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

// Browsers keep few connections to one place: only pages that somebody looks at hold one.
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

// ---- What is new goes into what is there.

let changed = false
/** Of what was typed, and of forms: a form that is sent twice counts once by its token, so that the one it has must stay. */
const KEPT = new Set(['csrf', 'form_token'])

/** What a piece of a page is about, so that it is found again in another place; undefined where its place is all it has. */
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

/** Somebody is at it: it stays until they are done. */
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
    // Moved only where it must be: who stands on it would fall.
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
