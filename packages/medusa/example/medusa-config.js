const { defineConfig } = require('@medusajs/framework/utils')

const env = process.env

module.exports = defineConfig({
  admin: { disable: env.ADMIN_PAGES !== 'true' },
  projectConfig: {
    // Without https, browsers would drop a secure cookie of the administrator's session.
    cookieOptions: { secure: false },
    databaseUrl: env.DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: { storeCors: '*', adminCors: '*', authCors: '*', jwtSecret: 'only for a try', cookieSecret: 'only for a try' },
  },
  plugins: [{ resolve: '@nano-gateway/medusa', options: {} }],
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      options: {
        providers: [
          {
            resolve: '@nano-gateway/medusa',
            id: 'gateway',
            options: {
              url: env.NANO_GATEWAY_URL,
              key: env.NANO_GATEWAY_KEY,
              address: env.NANO_ADDRESS,
              webhookSecret: env.NANO_WEBHOOK_SECRET,
              webhookUrl: env.NANO_WEBHOOK_URL,
            },
          },
        ],
      },
    },
  ],
})
