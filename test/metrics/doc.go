// Package metrics judges, by the code of Prometheus, the metrics of `vmrender status -o prometheus`, and the alerts and
// the dashboard of the chart monitoring.
package metrics
