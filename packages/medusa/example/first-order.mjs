/*
 * Puts a lamp into an empty shop, buys two of them with nano, and waits for the order.
 *   SHOP=http://127.0.0.1:9000 EMAIL=… PASSWORD=… node first-order.mjs
 */
const { SHOP = 'http://127.0.0.1:9000', EMAIL: email, PASSWORD: password } = process.env

async function ask(path, body, headers = {}) {
  const response = await fetch(SHOP + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${path}: ${answer.message}`)
  return answer
}

const { token } = await ask('/auth/user/emailpass', { email, password })
const admin = { authorization: `Bearer ${token}` }
const { stores } = await ask('/admin/stores', undefined, admin)
const currencies = [{ currency_code: 'eur', is_default: true }]
await ask(`/admin/stores/${stores[0].id}`, { supported_currencies: currencies }, admin)
const europe = { name: 'Europe', currency_code: 'eur', countries: ['de'], payment_providers: ['pp_nano_gateway'] }
const { region } = await ask('/admin/regions', europe, admin)
const { sales_channel: channel } = await ask('/admin/sales-channels', { name: 'Web' }, admin)
const { api_key: key } = await ask('/admin/api-keys', { title: 'Web', type: 'publishable' }, admin)
await ask(`/admin/api-keys/${key.id}/sales-channels`, { add: [channel.id] }, admin)
const lamp = {
  title: 'Lamp',
  status: 'published',
  options: [{ title: 'Size', values: ['One'] }],
  sales_channels: [{ id: channel.id }],
  variants: [
    {
      title: 'One',
      options: { Size: 'One' },
      manage_inventory: false,
      prices: [{ amount: 12.5, currency_code: 'eur' }],
    },
  ],
}
const { product } = await ask('/admin/products', lamp, admin)

// From here on, the calls that a storefront makes for a visitor.
const visitor = { 'x-publishable-api-key': key.token }
const items = [{ variant_id: product.variants[0].id, quantity: 2 }]
const wanted = { region_id: region.id, sales_channel_id: channel.id, email: 'visitor@example.com', items }
const { cart } = await ask('/store/carts', wanted, visitor)
const { payment_collection: made } = await ask('/store/payment-collections', { cart_id: cart.id }, visitor)
const chosen = { provider_id: 'pp_nano_gateway' }
const begun = await ask(`/store/payment-collections/${made.id}/payment-sessions`, chosen, visitor)
const { data } = begun.payment_collection.payment_sessions[0]
console.log(`Pay ${data.amount} ${data.currency} at ${data.url}`)

for (;;) {
  const { orders } = await ask('/admin/orders?fields=id,display_id,payment_status,total', undefined, admin)
  const [order] = orders
  if (order?.payment_status === 'captured') {
    console.log(`Order ${order.display_id} is paid: ${order.total} EUR`)
    break
  }
  await new Promise((resolve) => setTimeout(resolve, 1000))
}
