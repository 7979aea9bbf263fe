// The code of a mailed link is after the #, which browsers send to nobody. It is moved to the form, from where it goes
// into the body of a request that only looks at the share, and is removed from the address.
const form = document.querySelector('[data-code-form]')
const field = document.querySelector('#code')
const code = window.location.hash.slice(1)
if (form && field && code !== '') {
  field.value = code
  window.history.replaceState(null, '', window.location.pathname)
  // Only once: when the page comes back with an error, there is no code after the # any more.
  form.requestSubmit()
}
