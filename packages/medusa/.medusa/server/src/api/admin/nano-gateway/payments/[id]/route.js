/* Medusa finds routes by their paths. Below `/admin` it admits only administrators. */
export { readPayment as GET } from '@nano-gateway/medusa'
