# Takes webhooks of a gateway for a shop whose orders are in a file: {"A-1": {"amount_raw": "1500…"}}.
# Put your own database in the place of the file; keep the order of the checks. Run it with `ruby receiver.rb`; WEBrick is a gem
# (`gem install webrick`, or Debian's ruby-webrick).

require 'json'
require 'webrick'
require_relative 'verify_webhook'

ORDERS = ENV.fetch('ORDERS', 'orders.json')
ONE_BY_ONE = Mutex.new

# Marks the order as paid, once, and returns a line for the log.
def take(event)
  return "#{event['type']}: nothing to do" unless event['type'] == 'payment.completed'

  orders = JSON.parse(File.read(ORDERS))
  number = event.dig('metadata', 'order')
  order = orders[number]
  return "#{event['id']}: no such order, checkout #{event['checkout_id']}" unless order
  return "#{event['id']}: #{number} is paid already" if order['paid_by']

  enough = Integer(event['payment']['amount_raw'], 10) >= Integer(order['amount_raw'], 10)
  return "#{event['id']}: #{number} was not paid in full, look at it" unless enough && event['block']['confirmed'] == 'true'

  order['paid_by'] = event['block']['hash']
  File.write("#{ORDERS}.new", JSON.generate(orders))
  File.rename("#{ORDERS}.new", ORDERS)
  "#{event['id']}: #{number} is paid"
end

server = WEBrick::HTTPServer.new(
  BindAddress: '127.0.0.1', Port: ENV.fetch('PORT', '3000').to_i, AccessLog: [], Logger: WEBrick::Log.new($stderr, WEBrick::Log::ERROR)
)
server.mount_proc('/') do |request, response|
  headers = request.header.transform_values(&:first)
  event = verify_webhook(request.body.to_s, headers, ENV.fetch('WEBHOOK_SECRET', ''))
  ONE_BY_ONE.synchronize { puts take(event) }
  $stdout.flush
  response.status = 204
rescue ArgumentError => e
  response.status = 401
  response.body = "#{e.message}\n"
end
trap('TERM') { server.shutdown }
server.start
