/* A program that uses the whole client, the same in Node, as a single file, and in a browser. It uses only the client and APIs that every runtime has. */
export async function useClient(client, { url, purseKey, walletKey, shop, hook }) {
  const { Budget, GatewayError, createGateway, nano, raw, verifyWebhook } = client
  const budget = new Budget(raw('0.01'))
  const gateway = createGateway({ url, pay: { key: purseKey, budget } })

  const refusal = await gateway.account_info({ account: shop }).catch((error) => error)
  const wallet = gateway.wallet(walletKey)
  const opened = await wallet.receive()

  const ended = new AbortController()
  const confirmed = listen(wallet.address)
  const { id, address, amount_raw: price } = await gateway.checkouts.create({ address: shop, amount: raw('0.25') })
  const paid = gateway.checkouts.waitFor(id)
  const { hash, balance } = await wallet.send(address, price)
  const { status } = await paid
  const heard = await confirmed(hash)
  ended.abort()

  return {
    refused: refusal instanceof GatewayError && refusal.message,
    opened: nano(opened.balance),
    status,
    balance: nano(balance + price),
    bought: budget.paid.map(({ description, state }) => `${description} ${state}`),
    heard,
    event: verifyWebhook(hook.body, hook.headers, hook.secret, { nowSeconds: hook.nowSeconds }).id,
  }

  /** Node 20 has no WebSocket. */
  function listen(account) {
    if (typeof WebSocket === 'undefined') return () => Promise.resolve('no websocket')
    const told = new Map()
    const wanted = (hash) => new Promise((resolve) => (told.has(hash) ? resolve('told') : told.set(hash, resolve)))
    const hear = async () => {
      for await (const { hash } of gateway.confirmations({ accounts: [account], signal: ended.signal })) {
        const resolve = told.get(hash)
        told.set(hash, true)
        if (typeof resolve === 'function') resolve('told')
      }
    }
    hear().catch((error) => {
      if (!ended.signal.aborted) throw error
    })
    return wanted
  }
}
