// The code stands behind the # of a mailed link, which a browser sends to nobody. It goes into the form, and from there
// into the body of a request that only looks; the address of the page is cleaned of it.
const form = document.querySelector('[data-code-form]')
const field = document.querySelector('#code')
const code = window.location.hash.slice(1)
if (form && field && code !== '') {
  field.value = code
  window.history.replaceState(null, '', window.location.pathname)
  // Once: a page that comes back with an error has no code behind the # any more.
  form.requestSubmit()
}
