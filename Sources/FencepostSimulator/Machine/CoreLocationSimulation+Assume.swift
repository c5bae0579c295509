extension CoreLocationSimulation {
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
