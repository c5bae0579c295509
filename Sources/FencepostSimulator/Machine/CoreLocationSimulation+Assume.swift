extension CoreLocationSimulation {
    /// Changes the settings of the standard updates that run, as an app does that sets properties of its manager. It has
    /// no effect while none run. The change must not stop them or name another service.
    public mutating func changeStandardUpdates(_ change: (inout ServiceObject) -> Void) {
        guard let index = device.services.firstIndex(where: { $0.service == .standardUpdates && $0.isActive }) else {
            return
        }
        change(&device.services[index])
        limitRuntime()
    }

    /// Treats a service as started before the first step, in any state of the app.
    ///
    /// It serves apps that monitor every region: a region is registered when its first event arrives. The call has no
    /// effect when the app already has the service with this identifier.
    public mutating func assumeStarted(_ object: ServiceObject) {
        guard
            !device.services.contains(where: {
                $0.service == object.service && $0.identifier == object.identifier && $0.monitor == object.monitor
            })
        else { return }
        device.services.append(object)
        numberConditions()
    }
}
