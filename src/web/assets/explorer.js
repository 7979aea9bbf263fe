// The explorer follows the ledger: after a change it reads the page again. Without this script the page can be
// reloaded.
'use strict'

const GAP = 150
const follow = document.getElementById('follow')
let isFollowing = true
let isReading = false
let isDue = false
let shown

async function read() {
  if (isReading) {
    isDue = true
    return
  }
  isReading = true
  isDue = false
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (response.ok) show(new DOMParser().parseFromString(await response.text(), 'text/html'))
  } catch {
    // The ledger is unavailable; the stream reports when it is back.
  }
  setTimeout(() => {
    isReading = false
    if (isDue && isFollowing) void read()
  }, GAP)
}

function show(next) {
  const [old, live] = [document.getElementById('live'), next.getElementById('live')]
  if (!old || !live || live.innerHTML === shown) return
  shown = live.innerHTML
  const known = new Set([...old.querySelectorAll('tr[data-hash]')].map((row) => row.dataset.hash))
  const focused = document.activeElement?.closest('#live a')?.getAttribute('href')
  for (const row of live.querySelectorAll('tr[data-hash]')) row.classList.toggle('fresh', !known.has(row.dataset.hash))
  old.replaceChildren(...live.childNodes)
  dispatchEvent(new Event('shown'))
  // The keyboard focus stays where it was.
  if (focused) old.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true })
}

const address = document.getElementById('live')?.dataset.follow
if (address) {
  const stream = new EventSource(address)
  stream.addEventListener('changed', () => isFollowing && void read())
  // Also after it was unavailable.
  stream.addEventListener('open', () => isFollowing && void read())
  if (follow) {
    follow.hidden = false
    follow.addEventListener('click', () => {
      isFollowing = !isFollowing
      follow.setAttribute('aria-pressed', String(isFollowing))
      follow.textContent = isFollowing ? 'Following' : 'Paused'
      if (isFollowing) void read()
    })
  }
}
