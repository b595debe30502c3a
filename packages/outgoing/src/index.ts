export { AddressPolicy, type AddressPolicySettings } from './address-policy.ts';
