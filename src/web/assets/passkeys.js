// Passkeys: asks the gateway for a challenge, lets the device sign it, and sends the result.
'use strict'

const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

async function askGateway(path, body) {
  const reply = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = await reply.json()
  if (reply.ok) return answer
  if (answer.code === 'fresh_proof_required') {
    location.assign(`/dashboard/prove?next=${encodeURIComponent(location.pathname)}`)
  }
  throw new Error(answer.detail ?? answer.error)
}

const named = (list) => list.map((one) => ({ ...one, id: toBytes(one.id) }))

async function make({ challenge, user, excludeCredentials, ...options }) {
  const publicKey = {
    ...options,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: named(excludeCredentials),
  }
  return navigator.credentials.create({ publicKey })
}

async function sign({ challenge, allowCredentials, ...options }) {
  const publicKey = { ...options, challenge: toBytes(challenge), allowCredentials: named(allowCredentials) }
  return navigator.credentials.get({ publicKey })
}

// Only the requested members, whatever else the browser says about the device.
function toJson({ id, type, response }) {
  const parts = {}
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
    if (response[name]) parts[name] = toText(response[name])
  }
  return { id, type, response: parts }
}

// Browsers give hardly any reason, so that no page learns which passkeys there are.
function explain(error) {
  if (error.name === 'InvalidStateError') return 'This device already has one of your passkeys.'
  if (error.name === 'NotAllowedError') return 'Nothing was confirmed. Try again, or use another way.'
  return error.message
}

// Remembers which way of signing in to offer first; nothing else is kept in the browser.
const USED = 'passkey-used'

function liven(part) {
  const { passkey: from, send, next, origin } = part.dataset
  const show = (name) => (part.querySelector(`[data-${name}]`).hidden = false)
  if (!window.PublicKeyCredential) return show('unknown')
  if (location.origin !== origin) return show('elsewhere')
  const form = part.querySelector('form')
  const button = part.querySelector('button')
  const failed = part.querySelector('[data-failed]')
  const run = async () => {
    failed.hidden = true
    button.disabled = true
    try {
      const { options } = await askGateway(from, {})
      const credential = toJson(await (form ? make(options) : sign(options)))
      if (form) {
        form.elements.credential.value = JSON.stringify(credential)
        form.submit()
        return
      }
      await askGateway(send, { credential })
      localStorage.setItem(USED, 'yes')
      location.assign(next)
    } catch (error) {
      failed.textContent = explain(error)
      failed.hidden = false
      button.disabled = false
      button.focus()
    }
  }
  if (form) {
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void run()
    })
  } else button.addEventListener('click', () => void run())
  show('ready')
  if (!form && localStorage.getItem(USED) !== null) part.closest('.ways-in')?.classList.add('passkey-first')
}

for (const part of document.querySelectorAll('[data-passkey]')) liven(part)
