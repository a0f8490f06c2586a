FROM node:24-trixie-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# The only script of a package installs Node, which this image has.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run package -- --pack-destination /tmp \
 && npm install --prefix /opt/penstock --omit=optional --no-audit --no-fund /tmp/penstock-*.tgz

FROM node:24-trixie-slim
COPY --from=build /opt/penstock /opt/penstock
COPY packaging/health.mjs /opt/penstock/
RUN ln -s /opt/penstock/node_modules/.bin/penstock /usr/local/bin/penstock \
 && install --directory --owner=node --group=node --mode=0700 /data
ENV HOST=0.0.0.0 \
    DATA_DIR=/data \
    NODE_COMPILE_CACHE=/tmp/penstock
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080 1883
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "/opt/penstock/health.mjs"]
ENTRYPOINT ["penstock"]
