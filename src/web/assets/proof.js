/* Verifies the proof on this page in the browser, and again whenever its text is changed. */
'use strict'

const verdict = document.querySelector('[data-verifier]')
const text = document.querySelector('#proof')

import(verdict.dataset.verifier).then(
  ({ verifyProof, describeVerdict }) => {
    const check = () => {
      let proof
      try {
        proof = JSON.parse(text.value)
      } catch {
        proof = undefined
      }
      const found = verifyProof(proof)
      // The facts beside it on the page belong to the page's own payment.
      const isOther = found.ok && found.hash !== verdict.dataset.block
      const checked = found.ok ? ' Your browser has checked every signature.' : ''
      verdict.textContent =
        proof === undefined
          ? 'Not proved: the text is not JSON.'
          : describeVerdict(found) + checked + (isOther ? ` It is another payment: block ${found.hash}.` : '')
      verdict.className = `verdict ${found.ok ? 'good' : 'bad'}`
    }
    text.addEventListener('input', check)
    check()
  },
  () => {
    verdict.textContent = 'This browser cannot check the proof. Download it and check it with the command below.'
  },
)
