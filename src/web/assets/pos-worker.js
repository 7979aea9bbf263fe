// Keeps the shell of tills: the page, which contains no personal data, its styles and its script. Everything about
// money is requested from the network and never kept.
'use strict'
const KEPT = 'till-shell'
const SHELL = /^\/pos\/pos_\w+$/
const ASSET = /^\/(?:assets\/(?:pos|gateway|icon)\.(?:css|js|svg)|logos\/[0-9a-f]{32}|accents\/[0-9a-f]{6}\.css)$/
const WAIT = 4_000

addEventListener('install', () => void skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))

addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname, search } = new URL(url)
  if (method !== 'GET' || origin !== location.origin) return
  if (mode === 'navigate' && SHELL.test(pathname)) event.respondWith(showShell(pathname, search))
  else if (ASSET.test(pathname)) event.respondWith(showAsset(event.request))
})

/** A page that was loaded before this worker says which files it uses. */
addEventListener('message', (event) => event.waitUntil(keepAll(event.data)))

async function keepAll({ shell, parts }) {
  const { pathname, search } = new URL(shell, location.origin)
  if (SHELL.test(pathname)) await showShell(pathname, search)
  for (const part of parts) {
    const { origin, pathname: path } = new URL(part)
    if (origin === location.origin && ASSET.test(path)) await showAsset(new Request(part))
  }
}

/** The current version, or the kept one if nobody answers. */
async function showShell(pathname, search) {
  const kept = await caches.open(KEPT)
  try {
    const fresh = await fetch(pathname + search, {
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(WAIT),
    })
    if (fresh.ok) await kept.put(pathname, fresh.clone())
    else if (fresh.status === 404) await kept.delete(pathname)
    return fresh
  } catch (error) {
    const known = await kept.match(pathname)
    if (known) return known
    throw error
  }
}

/** The address changes with the contents; older versions of the same file are deleted. */
async function showAsset(request) {
  const kept = await caches.open(KEPT)
  const known = await kept.match(request)
  if (known) return known
  const fresh = await fetch(request)
  if (!fresh.ok) return fresh
  const { pathname } = new URL(request.url)
  for (const old of await kept.keys()) if (new URL(old.url).pathname === pathname) await kept.delete(old)
  await kept.put(request, fresh.clone())
  return fresh
}
