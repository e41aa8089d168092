/** @type {import('next').NextConfig} */
export default {
  // It is a member of the barrier: one copy in the process, as Node loads it.
  serverExternalPackages: ['@portcullis/guard'],
  poweredByHeader: false,
};
