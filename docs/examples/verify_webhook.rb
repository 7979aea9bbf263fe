require 'base64'
require 'json'
require 'openssl'

AGE_SECONDS_MAX = 300

# Checks that a webhook comes from your gateway and returns its event; raises ArgumentError otherwise.
# Give it the body exactly as it arrived and headers with lower-case names.
def verify_webhook(raw_body, headers, secret, now = Time.now.to_i)
  id, timestamp, signatures = headers.values_at('webhook-id', 'webhook-timestamp', 'webhook-signature').map(&:to_s)
  fresh = timestamp.match?(/\A\d+\z/) && (now - timestamp.to_i).abs <= AGE_SECONDS_MAX
  raise ArgumentError, 'The webhook is too old, or from the future.' unless fresh

  signed = "#{id}.#{timestamp}.".b + raw_body.b
  expected = "v1,#{Base64.strict_encode64(OpenSSL::HMAC.digest('SHA256', key_of(secret), signed))}"
  # While a secret is being replaced, the header has one signature for the old secret and one for the new.
  genuine = signatures.split(' ').any? { |given| OpenSSL.secure_compare(expected, given) }
  raise ArgumentError, 'The signature of the webhook is wrong.' unless genuine

  JSON.parse(raw_body)
end

# A secret that begins with whsec_ contains a key in base64; any other secret is the key itself.
def key_of(secret)
  return secret unless secret.start_with?('whsec_')

  key = Base64.strict_decode64(secret.delete_prefix('whsec_'))
  key.bytesize.between?(24, 64) ? key : secret
rescue ArgumentError
  secret
end
